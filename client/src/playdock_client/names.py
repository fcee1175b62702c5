"""Which names a server may give to files on this machine.

The server refuses harmful names at import; a server that lies does not. So they are refused here again, by the rules of
the strictest system, whichever this one is: an installation may lie on a disk that another system reads. Only letters
such as a colon, which Linux programs do use in names, are refused where they mean something: on Windows.
"""

import os
import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from playdock_client.installation import OWN_FOLDER

_LONGEST_PART = 255
_LONGEST_PATH = 4095
_MOST_HOPS = 40
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]|conin\$|conout\$) *(?:[.:].*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\]' if os.name == "nt" else r"\\")
# What nearly all paths are made of: parts of plain letters that are no devices and end neither with a dot nor a space.
_PLAIN = re.compile(
    r"(?!\.playdock)(?:(?!(?:con|prn|aux|nul|com|lpt)(?![a-z]))[\w\-+@()!&#~=,.\[\]' ]{0,99}[\w\-+)!\]](?:/(?!$)|$))+",
    re.ASCII | re.IGNORECASE,
)


def refusal(path: str) -> str | None:
    """Tell why nothing may be written to this path below an installation's folder, None if it may."""
    if len(path) <= _LONGEST_PATH and _PLAIN.fullmatch(path):
        return None
    if len(path.encode(errors="replace")) > _LONGEST_PATH:
        return "it is too long"
    if path.startswith("/") or re.match("[A-Za-z]:", path):
        return "it is absolute"
    parts = path.split("/")
    if fold(parts[0]) == OWN_FOLDER:
        return "it lies in the folder that the client keeps for itself"
    return next(filter(None, map(_refused_part, parts)), None)


def quoted(path: str) -> str:
    """Write a path so that it can stand in a sentence, whatever it contains."""
    visible = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", path)
    return f"“{visible if len(visible) <= 200 else visible[:199] + '…'}”"  # noqa: PLR2004 - more is no sentence


def readable(size: int) -> str:
    """Write a number of bytes for a person."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size / 1e6, 0.1):.1f} MB"  # noqa: PLR2004 - a gigabyte


def fold(path: str) -> str:
    """Write a path as a system compares it for which upper and lower case are one."""
    return path.lower() if path.isascii() else normalize("NFC", normalize("NFC", path).casefold())


def fault_of_names(paths: Iterable[str]) -> str | None:
    """Say what is wrong with the first of these paths of files that must not be written, alone or beside others."""
    files: set[str] = set()
    folders: dict[str, str] = {}
    for path in paths:
        if reason := refusal(path):
            return f"{quoted(path)} must not be written: {reason}."
        key = fold(path)
        if key in files or key in folders:
            return f"{quoted(path)} is there twice for a system that takes upper and lower case for one."
        files.add(key)
        if fault := _fault_of_folders(path, key=key, files=files, folders=folders):
            return fault
    return None


def fault_of_links(links: Mapping[str, str]) -> str | None:
    """Say what is wrong with the first of these links (path to target) that leaves the folder, alone or by others."""
    for path, target in links.items():
        if not target or target.startswith("/") or re.match("[A-Za-z]:", target) or "\\" in target:
            return f"The link {quoted(path)} points out of the folder."
        if _CONTROL.search(target) or len(target) > _LONGEST_PATH:
            return f"What the link {quoted(path)} points to is no path."
    by_key = {fold(path): target for path, target in links.items()}
    faults = (_fault_of_walk(path, links=by_key) for path in links)
    return next(filter(None, faults), None)


def folders_of(path: str) -> list[str]:
    """Give the folders a path lies in, the outermost first."""
    places = [place for place, letter in enumerate(path) if letter == "/"]
    return [path[:place] for place in places]


def _refused_part(part: str) -> str | None:
    if part in ("", ".", ".."):
        return "a part of it is empty or made of dots"
    if _CONTROL.search(part) or _FORBIDDEN.search(part):
        return "it contains a character that not every system takes"
    if part[-1] in ". ":
        return "a part of it ends with a dot or a space"
    if len(part.encode()) > _LONGEST_PART:
        return "a part of it is too long"
    return "a part of it is the name of a device" if _DEVICE.fullmatch(part) else None


def _fault_of_folders(path: str, *, key: str, files: set[str], folders: dict[str, str]) -> str | None:
    """Enter the folders of a path, from the innermost to the first one that is known."""
    while (cut := path.rfind("/")) > 0:
        path, key = path[:cut], key[: key.rfind("/")]
        known = folders.get(key)
        if known == path:
            return None
        if known is not None or key in files:
            return f"{quoted(path)} is there twice for a system that takes upper and lower case for one."
        folders[key] = path
    return None


def _fault_of_walk(path: str, *, links: Mapping[str, str]) -> str | None:
    """Walk as the system would, from link to link: after `a`, which is a link, `..` is not where `a` stands."""
    here = fold(path).split("/")[:-1]
    ahead = list(reversed(links[fold(path)].split("/")))
    hops = 1
    while ahead:
        part = ahead.pop()
        if part == "..":
            if not here:
                return f"The link {quoted(path)} points out of the folder."
            here.pop()
        elif part not in ("", "."):
            here.append(fold(part))
            if (target := links.get("/".join(here))) is not None:
                hops += 1
                here.pop()
                ahead += reversed(target.split("/"))
        if hops > _MOST_HOPS:
            return f"The link {quoted(path)} leads round in circles."
    return None
