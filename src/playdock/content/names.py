"""Validation of the paths in a version. A valid path is safe to create on every supported operating system.

The rules are those of Windows and macOS where these are stricter, because a version may be installed on any system.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import TypeAlias
from unicodedata import normalize

from playdock.content.errors import UnusableVersion
from playdock.kit.messages import Message
from playdock.kit.texts import IGNORABLE

_DEVICE = r"(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³]|conin\$|conout\$)"
_RULES = tuple(
    (re.compile(pattern), Message(code))
    for pattern, code in (
        (r"[\ud800-\udfff]", "path-not-utf8"),
        (r"[\x00-\x1f\x7f-\x9f]", "path-control-character"),
        (r"\\", "path-backslash"),
        (r"^/|^[A-Za-z]:", "path-absolute"),
        (r"(?:^|/)\.\.(?:/|$)", "path-dots"),
        (r"^$|//|/$|(?:^|/)\.(?:/|$)", "path-empty-part"),
        (r"[^/]{256}|^.{4096}", "path-too-long"),
        (r"[. ](?:/|$)", "path-trailing-dot"),
        (rf"(?:^|/)(?i:{_DEVICE}) *(?:[.:/]|$)", "path-reserved"),
    )
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Unicode's property Default_Ignorable_Code_Point. HFS+ ignores some of these characters in names.
_IGNORABLE = re.compile(rf"[{IGNORABLE}\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
# The client's own folder at the top of an installation, its streams, and the short names that Windows gives it: usually
# PLAYDO~1; with a longer number, or with digits of a hash after the first two letters, if such names exist.
_CLIENT_FOLDER = re.compile(r"\.playdock(?::.*)?|pl(?:ay(?:do?)?|[0-9a-f]{4})~[0-9]+")
# Most paths match this expression, which takes a tenth of the time of all rules.
_SAFE = re.compile(
    r"(?!(?i:\.playdock|pl[0-9a-z]{2,4}~))"
    r"(?:(?!(?i:con|prn|aux|nul|com|lpt)(?![A-Za-z]))[!#%-)+-.0-9;=@-\[\]-{}~ ]{1,255}+(?<![. ])(?:/(?!$)|$))+"
)
# PATH_MAX of Linux, including the final null byte.
_MAX_PATH_BYTES = 4096
# Linux also follows at most 40 symbolic links.
_MAX_LINKS = 40


def unsafe_reason(path: str) -> Message | None:
    """Return why a relative path is unsafe for clients, or None if it is safe."""
    if len(path) < _MAX_PATH_BYTES and _SAFE.fullmatch(path):
        return None
    if reason := next((reason for rule, reason in _RULES if rule.search(path)), None):
        return reason
    is_of_client = _CLIENT_FOLDER.fullmatch(normalized_name(path.partition("/")[0]))
    return Message("path-of-client") if is_of_client else None


def printable(path: str) -> str:
    """Return a path with control characters and invisible characters escaped, for use in a message."""
    escaped = path.encode("utf-8", "backslashreplace").decode()
    for characters in (_CONTROL, _IGNORABLE):
        escaped = characters.sub(lambda match: match[0].encode("unicode_escape").decode(), escaped)
    return escaped


def normalized_name(path: str) -> str:
    """Return a path in the form in which file systems compare it that ignore case and invisible characters."""
    if path.isascii():
        return path.lower()
    return normalize("NFC", _IGNORABLE.sub("", normalize("NFC", path).casefold()))


def check_names(paths: Iterable[str]) -> None:
    """Check the paths of a version.

    Raises:
        UnusableVersion: a path is unsafe, occurs twice, or differs from another only by case or invisible characters.
    """
    check = NameCheck()
    for path in sorted(paths):
        check.add(path)


_Folder: TypeAlias = tuple[str, dict[str, str]]


class NameCheck:
    """The checks of `check_names`, path by path in sorted order.

    It keeps only the names in the folders of the latest path: in sorted order, a folder that was left never comes back.
    """

    def __init__(self) -> None:
        # The folders that contain the latest path, outermost first, each with its names as file systems compare them.
        self._open: list[_Folder] = [("", {})]

    def add(self, path: str) -> None:
        """Check the next path. Raises UnusableVersion as `check_names`."""
        if reason := unsafe_reason(path):
            raise UnusableVersion(Message("path-unsafe", path=printable(path), reason=reason))
        folder, _, name = path.rpartition("/")
        if folder != self._open[-1][0]:
            self._enter(folder)
        _add_name(name, self._open[-1])

    def _enter(self, folder: str) -> None:
        while not _is_within(folder, self._open[-1][0]):
            self._open.pop()
        outer = self._open[-1][0]
        for name in folder.removeprefix(outer).strip("/").split("/") if folder != outer else ():
            _add_name(name + "/", self._open[-1])
            outer = _joined(outer, name)
            self._open.append((outer, {}))


def check_links(links: Mapping[str, str]) -> None:
    """Check the symbolic links of a version, given as targets by path.

    Raises:
        UnusableVersion: a link leaves the version, directly or through other links, or is circular.
    """
    for path, target in links.items():
        if reason := _target_problem(target):
            raise UnusableVersion(Message("link-unusable", path=printable(path), reason=reason))
    targets = {normalized_name(path): target for path, target in links.items()}
    for path in links:
        _follow(path, links=targets)


def parents(path: str) -> Iterable[str]:
    """Yield the folders that contain a path, innermost first."""
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def _add_name(name: str, folder: _Folder) -> None:
    """Add a name, with a slash at the end if it is a folder's. Raise UnusableVersion if there is an equal one."""
    path, names = folder
    key = normalized_name(name.rstrip("/"))
    if key in names:
        raise _conflict(_joined(path, name), _joined(path, names[key]))
    # A name is usually equal to its key, and then stored once.
    names[key] = key if key == name else name


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_within(folder: str, outer: str) -> bool:
    return not outer or folder == outer or folder.startswith(outer + "/")


def _conflict(new: str, existing: str) -> UnusableVersion:
    path, other = printable(new.rstrip("/")), printable(existing.rstrip("/"))
    if new == existing:
        return UnusableVersion(Message("path-twice", path=path))
    if path == other:
        return UnusableVersion(Message("path-file-and-folder", path=path))
    return UnusableVersion(Message("path-differs-by-case", path=path, other=other))


def _target_problem(target: str) -> Message | None:
    if not target:
        return Message("target-empty")
    if target.startswith("/") or re.match("[A-Za-z]:", target):
        return Message("target-absolute")
    if re.search(r"[\ud800-\udfff\x00-\x1f\x7f-\x9f\\]", target):
        return Message("target-invalid")
    return None


def _follow(path: str, *, links: Mapping[str, str]) -> None:
    """Resolve a link as an operating system does, one component at a time: `a/..` may be elsewhere if `a` is a link.

    The names in ``links`` are normalized, since `A/..` is the same on some systems.
    """
    key = normalized_name(path)
    resolved, remaining, count = key.split("/")[:-1], deque(links[key].split("/")), 1
    while remaining:
        part = remaining.popleft()
        if part == ".." and not resolved:
            raise UnusableVersion(Message("link-outside", path=printable(path)))
        if part == "..":
            resolved.pop()
        elif part not in ("", "."):
            resolved.append(normalized_name(part))
        target = links.get("/".join(resolved)) if part not in ("", ".", "..") else None
        if target is not None:
            resolved.pop()
            remaining.extendleft(reversed(target.split("/")))
            count += 1
        if count > _MAX_LINKS:
            raise UnusableVersion(Message("link-circular", path=printable(path)))
