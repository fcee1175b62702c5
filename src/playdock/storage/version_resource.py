"""The strings that a Windows program carries about itself: its product, its company.

Programs of other people are read here, which may be made to waste time and memory. So `pefile` is not given their
bytes but something that reads those it asks for, and no more of them than an honest program needs.
"""

from collections.abc import Iterator
from contextlib import closing

from playdock.content.programs import HEAD_SIZE, Format, format_of
from playdock.kit.late import late
from playdock.storage.entries import Entry, Reader, Source, Tree

_MOST_BYTES = 4 * 1024 * 1024
_COST = 256
"""What a slice costs beside its bytes, so that many small ones come to an end too."""

_MOST_UNPACKED = 64 * 1024 * 1024
_MOST_SECTIONS = 96
"""What Windows itself loads."""


class _Enough(Exception):
    """More was asked for than an honest program needs."""


class _Image:
    """The bytes of a program, for `pefile`, which asks for their number and for slices.

    Packed ones can only be had from the beginning, so they are unpacked once, up to _MOST_UNPACKED bytes.
    """

    def __init__(self, reader: Reader, entry: Entry) -> None:
        self._reader, self._entry = reader, entry
        self._unpacked: memoryview | None = None
        self._left = _MOST_BYTES

    def __len__(self) -> int:
        return self._entry.size

    def __getitem__(self, span: slice) -> bytes:
        start, end, _ = span.indices(len(self))
        length = max(0, end - start)
        self._left -= _COST + length
        if self._left < 0:
            raise _Enough
        return self._read(start, length) if length else b""

    def close(self) -> None:
        """Let go of what was unpacked: what pefile makes refers to itself and to this, so it stays for a while."""
        self._unpacked = None

    def _read(self, start: int, length: int) -> bytes:
        if self._unpacked is None:
            with self._reader.open(self._entry, offset=start) as source:
                if source.start == start:
                    return bytes(_filled(source, length))
                self._unpacked = _filled(source, min(len(self), _MOST_UNPACKED))
        return bytes(self._unpacked[start : start + length])


def _filled(source: Source, length: int) -> memoryview:
    buffer = memoryview(bytearray(length))
    filled = 0
    while filled < length and (count := source.readinto(buffer[filled:])):
        filled += count
    return buffer[:filled]


def version_strings(tree: Tree, path: str) -> dict[str, str]:
    """Give the strings of a listed program by their names, such as `ProductName`; none if it has no such resource.

    Raises UnusableVersion, VersionChanged and OSError where its first bytes cannot be read.
    """
    entry = tree.entry(path)
    with tree.reader() as reader, closing(_Image(reader, entry)) as image:
        if format_of(image[:HEAD_SIZE]) is not Format.WINDOWS:
            return {}
        return dict(_strings(image))


def _strings(image: _Image) -> Iterator[tuple[str, str]]:
    try:
        pefile = late("pefile")
        program = pefile.PE(data=image, fast_load=True)
        if len(program.sections) > _MOST_SECTIONS:
            return
        program.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
    except Exception:  # noqa: BLE001 - whatever a library trips over in a file that may be made for it
        return
    for block in (block for blocks in getattr(program, "FileInfo", ()) for block in blocks):
        for table in getattr(block, "StringTable", ()):
            yield from ((_decoded(name), _decoded(value)) for name, value in table.entries.items())


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
