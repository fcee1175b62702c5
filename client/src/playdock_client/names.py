"""Validates the names of files and links sent by a server.

The server rejects unsafe names at import, but a hostile server may not. So the client checks them too, by the rules of
the strictest system, because an installation may be on a disk that other systems use. Only characters such as colons,
which some Linux programs use in names, are rejected on Windows alone.
"""

import os
import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from playdock_client.installation import OWN_FOLDER

# Limits of Linux: NAME_MAX, PATH_MAX without the final zero byte, and links followed (path_resolution(7)).
_MAX_PART_BYTES = 255
_MAX_PATH_BYTES = 4095
_MAX_LINK_HOPS = 40
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]|conin\$|conout\$) *(?:[.:].*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\]' if os.name == "nt" else r"\\")
# Unicode's property Default_Ignorable_Code_Point. HFS+ ignores some of these characters in names.
_IGNORABLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# The short names that Windows gives to the client's own folder: usually PLAYDO~1; with a longer number, or with digits
# of a hash after the first two letters, if such names exist.
_SHORT_NAME = re.compile(r"pl(?:ay(?:do?)?|[0-9a-f]{4})~[0-9]+")
# Fast path for most names: parts of ordinary characters that are not devices and do not end with a dot or a space.
_SIMPLE_PATH = re.compile(
    r"(?!\.playdock|pl[0-9a-z]{2,4}~)"
    r"(?:(?!(?:con|prn|aux|nul|com|lpt)(?![a-z]))[\w\-+@()!&#~=,.\[\]' ]{0,99}[\w\-+)!\]](?:/(?!$)|$))+",
    re.ASCII | re.IGNORECASE,
)


def path_problem(path: str) -> str | None:
    """Return why this path below an installation's folder must not be written, or None if it is safe."""
    if len(path) <= _MAX_PATH_BYTES and _SIMPLE_PATH.fullmatch(path):
        return None
    if len(path.encode(errors="replace")) > _MAX_PATH_BYTES:
        return "it is too long"
    if path.startswith("/") or re.match("[A-Za-z]:", path):
        return "it is absolute"
    parts = path.split("/")
    top = comparable_path(parts[0])
    if top.partition(":")[0] == OWN_FOLDER or _SHORT_NAME.fullmatch(top):
        return "it is in the client's own folder"
    return next(filter(None, map(_part_problem, parts)), None)


def quoted(path: str) -> str:
    """Return a path in quotation marks for a message, with control characters escaped and at most 200 characters."""
    visible = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", path)
    return f"“{visible if len(visible) <= 200 else visible[:199] + '…'}”"  # noqa: PLR2004 - long enough for messages


def readable(size: int) -> str:
    """Return a number of bytes as text, such as ``1.2 GB``."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size / 1e6, 0.1):.1f} MB"  # noqa: PLR2004 - one gigabyte


def casefolded(text: str) -> str:
    """Return a name or path as case-insensitive systems compare it: an “ü” may be one character or two."""
    return text.lower() if text.isascii() else normalize("NFC", normalize("NFC", text).casefold())


def comparable_path(path: str) -> str:
    """Return a path that is equal for paths that are the same on any system: some also ignore invisible characters."""
    return casefolded(path) if path.isascii() else casefolded(_IGNORABLE.sub("", path))


def name_problem(paths: Iterable[str]) -> str | None:
    """Return a message about the first path that is unsafe or conflicts with another one, or None."""
    check = NameCheck()
    return next(filter(None, map(check.add, sorted(paths))), None)


class NameCheck:
    """The checks of `name_problem`, path by path in sorted order.

    It keeps only the names in the folders of the latest path: in sorted order, a folder that was left never comes back.
    """

    def __init__(self) -> None:
        # The folders that contain the latest path, the outermost first, each with its names as systems compare them.
        self._open: list[tuple[str, set[str]]] = [("", set())]

    def add(self, path: str) -> str | None:
        """Return a message about the next path, or None."""
        if reason := path_problem(path):
            return f"{quoted(path)} must not be written: {reason}."
        folder = path.rpartition("/")[0]
        while (outer := self._open[-1][0]) and folder != outer and not folder.startswith(outer + "/"):
            self._open.pop()
        entered = () if folder == outer else folders_of(path)[outer.count("/") + 1 if outer else 0 :]
        for each in (*entered, path):
            names = self._open[-1][1]
            key = comparable_path(each.rpartition("/")[2])
            if key in names:
                return f"{quoted(each)} exists twice on systems that ignore case."
            names.add(key)
            if each != path:
                self._open.append((each, set()))
        return None


def link_problem(links: Mapping[str, str]) -> str | None:
    """Return a message about the first link (path to target) that leaves the folder, directly or not, or None."""
    for path, target in links.items():
        if not target or target.startswith("/") or re.match("[A-Za-z]:", target) or "\\" in target:
            return f"The link {quoted(path)} points outside the folder."
        if _CONTROL.search(target) or len(target) > _MAX_PATH_BYTES:
            return f"The target of the link {quoted(path)} is invalid."
    by_key = {comparable_path(path): target for path, target in links.items()}
    problems = (_link_target_problem(path, links=by_key) for path in links)
    return next(filter(None, problems), None)


def folders_of(path: str) -> list[str]:
    """Return the parent folders of a path, the outermost first."""
    slashes = [index for index, letter in enumerate(path) if letter == "/"]
    return [path[:index] for index in slashes]


def _part_problem(part: str) -> str | None:
    if part in ("", ".", ".."):
        return "a part of it is empty, “.” or “..”"
    if _CONTROL.search(part) or _FORBIDDEN.search(part):
        return "it contains a character that some systems do not allow"
    if part[-1] in ". ":
        return "a part of it ends with a dot or a space"
    if len(part.encode()) > _MAX_PART_BYTES:
        return "a part of it is too long"
    return "a part of it is the name of a device" if _DEVICE.fullmatch(part) else None


def _link_target_problem(path: str, *, links: Mapping[str, str]) -> str | None:
    """Resolve a link like the system does: after a link, `..` is the parent of its target."""
    current = comparable_path(path).split("/")[:-1]
    remaining = list(reversed(links[comparable_path(path)].split("/")))
    hops = 1
    while remaining:
        part = remaining.pop()
        if part == "..":
            if not current:
                return f"The link {quoted(path)} points outside the folder."
            current.pop()
        elif part not in ("", "."):
            current.append(comparable_path(part))
            if (target := links.get("/".join(current))) is not None:
                hops += 1
                current.pop()
                remaining += reversed(target.split("/"))
        if hops > _MAX_LINK_HOPS:
            return f"The link {quoted(path)} is circular."
    return None
