r"""Installers in the format of Inno Setup 5.1.13, as far as their files go; the format is that which innoextract reads.

They have the data that its compiler writes, but no program that runs.
"""

import struct
from collections.abc import Mapping
from hashlib import md5
from zlib import crc32

_ID = b"rDlPtS07\x87eVx"
_VERSION = b"Inno Setup Setup Data (5.1.13)"
_BLOCK_BYTES = 4096
# Where the header of a program says at which byte the offsets are, and where those of its own format begin.
_POINTER, _HEADER_BYTES = 0x30, 0x40
_OFFSETS_BYTES = len(_ID) + 7 * 4
_SLICE_START = b"idska32\x1a"
_CONTENT_START = b"zlb\x1a"
# The thirteenth of 28 texts is the name of the installer's file.
_TEXTS, _FILE_NAME = 28, 12
# The eighth and ninth of 16 counts are those of files and of contents.
_COUNTS, _FILES, _CONTENTS = 16, 7, 8
# 2020-01-01, in 100-nanosecond intervals since 1601.
_FILETIME = 132_223_104_000_000_000


def inno_setup(
    files: Mapping[str, bytes], *, name: str = "setup_doom", program: bytes = b"", in_parts: bool = False
) -> dict[str, bytes]:
    r"""Return the files of an installer: ``name``.exe, with a `.bin` if it is in parts.

    ``files`` are contents by destination, such as `{app}\doom.exe`. ``program`` is what the installer begins with.
    """
    contents, locations, entries = bytearray(), bytearray(), bytearray()
    slice_start = len(_SLICE_START) + 4 if in_parts else 0
    for number, (destination, content) in enumerate(files.items()):
        locations += struct.pack("<IIIQQQ", 0, 0, slice_start + len(contents), 0, len(content), len(content))
        locations += md5(content, usedforsecurity=False).digest() + struct.pack("<qIIH", _FILETIME, 0, 0, 0)
        entries += _text("") + _text(destination) + 7 * _text("") + bytes(20)
        entries += struct.pack("<IIQhIB", number, 0, 0, -1, 0, 0)
        contents += _CONTENT_START + content
    images = 2 * _text("")
    headers = (
        _VERSION.ljust(64, b"\0") + _block(_header(name, len(files)) + entries + images) + _block(bytes(locations))
    )
    start = bytearray(program.ljust(_HEADER_BYTES, b"\0"))
    start[:2] = b"MZ"
    start[_POINTER : _POINTER + 12] = b"Inno" + struct.pack("<II", len(start), ~len(start) & 0xFFFFFFFF)
    headers_at = len(start) + _OFFSETS_BYTES
    offsets = _ID + struct.pack("<6I", 0, 0, 0, 0, headers_at, 0 if in_parts else headers_at + len(headers))
    installer = bytes(start) + offsets + struct.pack("<I", crc32(offsets)) + headers
    if not in_parts:
        return {f"{name}.exe": installer + contents}
    part = _SLICE_START + struct.pack("<I", slice_start + len(contents)) + contents
    return {f"{name}.exe": installer, f"{name}-1.bin": part}


def _header(name: str, files: int) -> bytes:
    texts = [name if number == _FILE_NAME else "" for number in range(_TEXTS)]
    counts = [files if number in (_FILES, _CONTENTS) else 0 for number in range(_COUNTS)]
    lead_bytes, windows_versions, colors, password = bytes(32), bytes(20), bytes(12), bytes(24)
    disk, choices, options = struct.pack("<qI", 0, 1), bytes(8), bytes(6)
    written = b"".join(map(_text, texts)) + lead_bytes + struct.pack(f"<{_COUNTS}I", *counts)
    return written + windows_versions + colors + password + disk + choices + options


def _text(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("cp1252")


def _block(data: bytes) -> bytes:
    """Return an uncompressed block: pieces with their checksums, after the size and its own checksum."""
    pieces = (data[start : start + _BLOCK_BYTES] for start in range(0, len(data), _BLOCK_BYTES))
    body = b"".join(struct.pack("<I", crc32(piece)) + piece for piece in pieces)
    size = struct.pack("<IB", len(body), 0)
    return struct.pack("<I", crc32(size)) + size + body
