"""The version resource of Windows programs, with strings such as the product and the company.

Programs are untrusted and may be crafted to waste time and memory. Therefore `pefile` does not receive their bytes but
an object that reads only the requested slices, up to a limit that regular programs do not reach.
"""

from collections.abc import Iterator
from contextlib import closing

from playdock.content.programs import HEAD_SIZE, Format, format_of
from playdock.storage.entries import Reader, Source, Tree, TreeEntry

# The headers and resources that pefile reads of a regular program are much smaller.
_MAX_BYTES = 4 * 1024 * 1024
# The cost of a slice in addition to its bytes, so that the number of small slices is limited too.
_SLICE_COST_BYTES = 256
# Bounds the memory for a program in an archive, which can only be decompressed from its beginning.
_MAX_UNPACKED_BYTES = 64 * 1024 * 1024
# The limit of the Windows loader.
_MAX_SECTIONS = 96


class _ReadLimitReached(Exception):
    """pefile has requested more bytes than a regular program needs."""


class _Image:
    """The bytes of a program, with the length and the slices that `pefile` uses.

    A compressed program can only be read from the beginning, so it is decompressed once, up to _MAX_UNPACKED_BYTES.
    """

    def __init__(self, reader: Reader, entry: TreeEntry) -> None:
        self._reader, self._entry = reader, entry
        self._unpacked: memoryview | None = None
        self._left = _MAX_BYTES

    def __len__(self) -> int:
        return self._entry.size

    def __getitem__(self, span: slice) -> bytes:
        start, end, _ = span.indices(len(self))
        length = max(0, end - start)
        self._left -= _SLICE_COST_BYTES + length
        if self._left < 0:
            raise _ReadLimitReached
        return self._read(start, length) if length else b""

    def close(self) -> None:
        """Free the decompressed bytes. pefile's objects form cycles that keep this object alive for some time."""
        self._unpacked = None

    def _read(self, start: int, length: int) -> bytes:
        if self._unpacked is None:
            with self._reader.open(self._entry, offset=start) as source:
                if source.start == start:
                    return bytes(_read_up_to(source, length))
                self._unpacked = _read_up_to(source, min(len(self), _MAX_UNPACKED_BYTES))
        return bytes(self._unpacked[start : start + length])


def _read_up_to(source: Source, length: int) -> memoryview:
    """Return the next ``length`` bytes, fewer at the end."""
    buffer = memoryview(bytearray(length))
    filled = 0
    while filled < length and (count := source.readinto(buffer[filled:])):
        filled += count
    return buffer[:filled]


def version_strings(tree: Tree, path: str) -> dict[str, str]:
    """Return the strings of a listed program by name, such as `ProductName`; empty if it has no version resource.

    Raises UnusableVersion, VersionChanged or OSError if its first bytes cannot be read.
    """
    entry = tree.entry(path)
    with tree.reader() as reader, closing(_Image(reader, entry)) as image:
        if format_of(image[:HEAD_SIZE]) is not Format.WINDOWS:
            return {}
        return dict(_strings(image))


def _strings(image: _Image) -> Iterator[tuple[str, str]]:
    import pefile  # type: ignore[import-untyped]

    try:
        program = pefile.PE(data=image, fast_load=True)
        if len(program.sections) > _MAX_SECTIONS:
            return
        program.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
    except Exception:  # noqa: BLE001 - pefile fails in many ways on crafted files
        return
    for block in (block for blocks in getattr(program, "FileInfo", ()) for block in blocks):
        for table in getattr(block, "StringTable", ()):
            yield from ((_decode(name), _decode(value)) for name, value in table.entries.items())


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")
