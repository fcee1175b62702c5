"""Desktop entries of Linux, by the Desktop Entry Specification of freedesktop.org, version 1.5. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from playdock_client.wording import plain

# Characters with which an argument must be quoted, and those to be escaped inside the quotes.
_RESERVED = re.compile(r"[\s\"'\\><~|&;$*?#()`%]")
_ESCAPED = re.compile(r'(["`$\\])')
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class DesktopEntry:
    """An application: its name, its command, and for links the scheme that it opens (then it is not in menus).

    An argument `URL_FIELD` is replaced by the link that is opened.
    """

    name: str
    comment: str
    command: Sequence[str]
    icon: str = ""
    category: str = "Game"
    scheme: str = ""

    def text(self) -> str:
        """Return the content of the file."""
        lines = [
            "[Desktop Entry]",
            "Type=Application",
            "Version=1.0",
            f"Name={escaped(plain(self.name).strip() or 'Game')}",
            f"Comment={escaped(plain(self.comment))}",
            f"Exec={escaped(' '.join(quoted_argument(each) for each in self.command))}",
            *([f"Icon={escaped(self.icon)}"] if self.icon else []),
            "Terminal=false",
            *([f"MimeType=x-scheme-handler/{self.scheme};", "NoDisplay=true"] if self.scheme else []),
            f"Categories={self.category};",
        ]
        return "\n".join(lines) + "\n"


URL_FIELD = "%u"


def quoted_argument(argument: str) -> str:
    """Return an argument of Exec, quoted if necessary. ``%`` starts a field, and is doubled."""
    if argument == URL_FIELD:
        return argument
    doubled = argument.replace("%", "%%")
    if argument and not _RESERVED.search(argument):
        return doubled
    return '"' + _ESCAPED.sub(r"\\\1", doubled) + '"'


def escaped(value: str) -> str:
    """Return a text as the value of a key."""
    text = "".join(_ESCAPES.get(letter, letter) for letter in value)
    return f"\\s{text[1:]}" if text.startswith(" ") else text
