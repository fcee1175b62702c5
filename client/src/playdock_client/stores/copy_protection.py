"""What the files of a game say about whether it runs without the store that installed it. Pure.

No file proves that a game runs without its store: only starting it without the store does. Two things prove that it
does not: Steam's wrapper around the program, which has a section of its own, and Epic's ownership token. The libraries
of stores are in games that need them and in games that do not.
"""

import re
import struct
from collections.abc import Collection
from enum import IntEnum

import msgspec

from playdock_client.stores.found_game import FoundGame, Store

# What `has_steam_wrapper` reads of a program: the section table follows the headers.
HEAD_BYTES = 4096
_PE_OFFSET, _HEADER_BYTES, _MAX_SECTIONS, _SECTION_BYTES, _NAME_BYTES = 0x3C, 24, 96, 40, 8
_LIBRARIES = (
    (re.compile(r"steam_api(?:64)?\.dll|libsteam_api\.(?:so|dylib)", re.IGNORECASE), "Steam"),
    (re.compile(r"EOSSDK-.*\.(?:dll|so|dylib)", re.IGNORECASE), "Epic"),
    (re.compile(r"(?:upc|uplay)_r\d_loader(?:64)?\.dll", re.IGNORECASE), "Ubisoft Connect"),
)


class Protection(IntEnum):
    """How likely it is that a game needs its store to run."""

    NONE_FOUND = 0
    POSSIBLE = 1
    CERTAIN = 2


class Assessment(msgspec.Struct, frozen=True):
    """Whether a game needs its store, and what was found."""

    protection: Protection
    reason: str


def library_of(name: str) -> str | None:
    """Return the store to which a file with this name belongs, None if it is another file."""
    return next((store for pattern, store in _LIBRARIES if pattern.fullmatch(name)), None)


def has_steam_wrapper(head: bytes) -> bool:
    """Return whether a Windows program, of which these are the first bytes, has the section of Steam's wrapper.

    Source: "PE Format" in the documentation of Windows.
    """
    try:
        (start,) = struct.unpack_from("<I", head, _PE_OFFSET)
        if head[:2] != b"MZ" or head[start : start + 4] != b"PE\0\0":
            return False
        sections, optional = struct.unpack_from("<2xH12xH", head, start + 4)
    except struct.error:
        return False
    first = start + _HEADER_BYTES + optional
    offsets = range(first, first + min(sections, _MAX_SECTIONS) * _SECTION_BYTES, _SECTION_BYTES)
    return any(head[at : at + _NAME_BYTES].rstrip(b"\0") == b".bind" for at in offsets)


def assess(game: FoundGame, *, wrapped: str, libraries: Collection[str]) -> Assessment:
    """Return whether a game needs its store. ``wrapped`` is a program in Steam's wrapper, ``libraries`` are stores'."""
    if wrapped:
        return Assessment(Protection.CERTAIN, f"{wrapped} is wrapped by Steam and needs it")
    if game.needs_store:
        return Assessment(Protection.CERTAIN, f"{game.store} checks that the player owns it")
    if libraries and game.store is not Store.GOG:
        names = " and ".join(sorted(libraries))
        return Assessment(Protection.POSSIBLE, f"may need {names}, whose library it has")
    return Assessment(Protection.NONE_FOUND, "no sign of it found")
