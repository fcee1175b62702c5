"""Which names a client can write down on any system without harm. All others are refused, with the reason.

The rules are those of Windows and macOS where these are stricter: a version goes to any of them.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from playdock.content.errors import UnusableVersion

_DEVICE = r"(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³]|conin\$|conout\$)"
_RULES = tuple(
    (re.compile(pattern), reason)
    for pattern, reason in (
        (r"[\ud800-\udfff]", "its name is not UTF-8"),
        (r"[\x00-\x1f\x7f-\x9f]", "its name contains a control character"),
        (r"\\", "its name contains a backslash"),
        (r"^/|^[A-Za-z]:", "its path is absolute"),
        (r"(?:^|/)\.\.(?:/|$)", "its path contains `..`"),
        (r"^$|//|/$|(?:^|/)\.(?:/|$)", "a part of its path is empty"),
        (r"[^/]{256}|^.{4096}", "its path or a part of it is too long to be written down anywhere"),
        (r"[. ](?:/|$)", "a part of its path ends with a dot or a space, which Windows drops"),
        (rf"(?:^|/)(?i:{_DEVICE}) *(?:[.:/]|$)", "a part of its path is a reserved name on Windows"),
    )
)
# Most paths of most versions pass this one, which costs a tenth of all rules.
_PLAIN = re.compile(
    r"(?:(?!(?i:con|prn|aux|nul|com|lpt)(?![A-Za-z]))[!#%-)+-.0-9;=@-\[\]-{}~ ]{1,255}+(?<![. ])(?:/(?!$)|$))+"
)
_LONGEST = 4096
_MOST_HOPS = 40


def refusal(path: str) -> str | None:
    """Tell why a client could come to harm by this relative path, None where it could not."""
    if len(path) < _LONGEST and _PLAIN.fullmatch(path):
        return None
    return next((reason for rule, reason in _RULES if rule.search(path)), None)


def shown(path: str) -> str:
    """Write a path so that it can stand in a sentence, whatever it contains."""
    escaped = path.encode("utf-8", "backslashreplace").decode()
    return "“" + re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", escaped) + "”"


def folded(path: str) -> str:
    """Write a path as systems that take upper and lower case for one compare it."""
    return path.lower() if path.isascii() else normalize("NFC", normalize("NFC", path).casefold())


def check_names(paths: Iterable[str]) -> None:
    """Raise UnusableVersion for the first path that could hurt a client, by itself or beside the others."""
    seen: dict[str, str] = {}
    folders = {""}
    for path in paths:
        if reason := refusal(path):
            raise UnusableVersion(f"{shown(path)} cannot be imported: {reason}. Rename it, or remove it.")
        key = folded(path)
        if key in seen:
            raise _clash(path, seen[key])
        seen[key] = path
        if path.rpartition("/")[0] not in folders:
            _claim_folders(path, folders=folders, seen=seen)


def check_links(links: Mapping[str, str]) -> None:
    """Raise UnusableVersion for the first link (path to target) that leaves the version, alone or through others."""
    for path, target in links.items():
        if reason := _broken_target(target):
            raise UnusableVersion(f"The link {shown(path)} cannot be used: {reason}. Replace it by what it points to.")
    for path in links:
        _follow(path, links=links)


def parents(path: str) -> Iterable[str]:
    """Give the folders that a path lies in, the nearest first."""
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def _claim_folders(path: str, *, folders: set[str], seen: dict[str, str]) -> None:
    for folder in parents(path):
        if folder in folders:
            return
        folders.add(folder)
        other = seen.setdefault(folded(folder), folder + "/")
        if other != folder + "/":
            raise _clash(folder + "/", other)


def _clash(claim: str, other: str) -> UnusableVersion:
    path, there = claim.rstrip("/"), other.rstrip("/")
    if claim == other:
        return UnusableVersion(f"{shown(path)} is there twice. Pack the version again with one of them.")
    if path == there:
        return UnusableVersion(f"{shown(path)} is there as a file and as a folder. Rename one of them.")
    names = f"{shown(path)} and {shown(there)}"
    return UnusableVersion(f"{names} differ only by case, which Windows and macOS take for one. Rename one of them.")


def _broken_target(target: str) -> str | None:
    if not target:
        return "it points nowhere"
    if target.startswith("/") or re.match("[A-Za-z]:", target):
        return "it points to an absolute path"
    if re.search(r"[\ud800-\udfff\x00-\x1f\x7f-\x9f\\]", target):
        return "what it points to is not UTF-8, or contains a control character or a backslash"
    return None


def _follow(path: str, *, links: Mapping[str, str]) -> None:
    """Walk as a system would, link by link: `a/..` is not where it looks if `a` is a link."""
    here, ahead, hops = path.split("/")[:-1], deque(links[path].split("/")), 1
    while ahead:
        part = ahead.popleft()
        if part == ".." and not here:
            raise UnusableVersion(f"The link {shown(path)} leaves the version. Replace it by what it points to.")
        if part == "..":
            here.pop()
        elif part not in ("", "."):
            here.append(part)
        target = links.get("/".join(here)) if part not in ("", ".", "..") else None
        if target is not None:
            here.pop()
            ahead.extendleft(reversed(target.split("/")))
            hops += 1
        if hops > _MOST_HOPS:
            raise UnusableVersion(f"The link {shown(path)} leads round in circles. Remove it.")
