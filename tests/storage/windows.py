"""Minimal Windows programs with a version resource (Microsoft PE/COFF; VS_VERSIONINFO)."""

import struct
from collections.abc import Mapping

_HEADERS, _CODE_ADDRESS, _MEMORY_ADDRESS = 0x200, 0x8000000, 0x1000
_VERSION = 16


def program(strings: Mapping[str, str], *, code: int = 0) -> bytes:
    """Return a 64-bit program with these version strings; ``code`` is the size of its first section in bytes."""
    return image(resources(version_info(strings)), code=code)


def image(section: bytes, *, code: int = 0) -> bytes:
    """Return a program of two sections: code, which is all zeros, and resources."""
    return headers(len(section), code=code) + bytes(code) + section


def headers(length: int, *, code: int) -> bytes:
    """Return the headers for ``code`` bytes of code and ``length`` bytes of resources."""
    stub = struct.pack("<2s22xH34xI", b"MZ", 0x40, 0x40)
    header = struct.pack("<4sHHIIIHH", b"PE\0\0", 0x8664, 2, 0, 0, 0, 240, 0x22)
    alignments = struct.pack("<H30xII", 0x20B, _MEMORY_ADDRESS, 0x200)
    directories = struct.pack("<I16xII104x", 16, _MEMORY_ADDRESS, length)
    first = struct.pack("<8sIIII16x", b".text", code, _CODE_ADDRESS, code, _HEADERS)
    second = struct.pack("<8sIIII16x", b".rsrc", length, _MEMORY_ADDRESS, length, _HEADERS + code)
    return (stub + header + alignments.ljust(108, b"\0") + directories + first + second).ljust(_HEADERS, b"\0")


def resources(data: bytes, *, languages: int = 1, length: int | None = None) -> bytes:
    """Return a section with one resource: directories of type, name and language, the data entry, and the data."""
    end = 64 + 8 * languages
    registry = struct.pack("<12xHHII", 0, 1, _VERSION, 1 << 31 | 24)
    names = struct.pack("<12xHHII", 0, 1, 1, 1 << 31 | 48)
    tongues = b"".join(struct.pack("<II", number, end) for number in range(languages))
    size = len(data) if length is None else length
    place = struct.pack("<IIII", _MEMORY_ADDRESS + end + 16, size, 0, 0)
    return registry + names + struct.pack("<12xHH", 0, languages) + tongues + place + data


def version_info(strings: Mapping[str, str]) -> bytes:
    table = block("040904b0", *(_string(name, value) for name, value in strings.items()))
    return block("VS_VERSION_INFO", block("StringFileInfo", table), value=struct.pack("<I48x", 0xFEEF04BD))


def block(key: str, *inside: bytes, value: bytes = b"", length: int | None = None) -> bytes:
    """Return a node of a version resource: three numbers, key, value and children, each aligned to 4 bytes."""
    body = _padded(bytes(6) + f"{key}\0".encode("utf-16-le")) + _padded(value) + b"".join(map(_padded, inside))
    return struct.pack("<HHH", len(body), len(value) if length is None else length, 0) + body[6:]


def _string(name: str, value: str) -> bytes:
    return block(name, value=f"{value}\0".encode("utf-16-le"), length=len(value) + 1)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
