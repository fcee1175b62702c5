"""Plans where the bytes of a new version come from: existing files, patches, or requests. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec

from playdock_client.disk import Disk
from playdock_client.manifest import Chunk, File, Manifest, file_chunks
from playdock_client.responses import PatchSet, Segment, Span

# Smaller requests take as long as larger ones on most connections.
MIN_PIECE_BYTES = 1024 * 1024
# Limits what a failed connection can delay.
MAX_PIECE_BYTES = 64 * 1024 * 1024
# Skipping a gap of this size costs less than another request.
_MAX_GAP_BYTES = 128 * 1024
# Read, verified and recorded together: few calls, little to repeat.
_BATCH_BYTES = 256 * 1024
# Four times what servers use (docs/decisions/0014 and 0106); limits the memory a server can make the client use.
_MAX_PLAIN_BYTES = 32 * 1024 * 1024
_MAX_OLD_BYTES = 128 * 1024 * 1024


class Source(msgspec.Struct, frozen=True, gc=False):
    """The probable location of a chunk's bytes: a path below the installation's folder, and an offset."""

    path: str
    start: int


class Copy(msgspec.Struct, frozen=True, gc=False):
    """A chunk, and the source to copy it from."""

    chunk: Chunk
    source: Source


@dataclass(frozen=True, slots=True)
class Piece:
    """The bytes `start` to `end` of a version image for one request. Not all of them need to be missing."""

    version: str
    start: int
    end: int
    chunks: tuple[Chunk, ...]

    def batches(self) -> list[tuple[Chunk, ...]]:
        """Return adjacent chunks in batches, which are read, verified and recorded together."""
        found: list[list[Chunk]] = []
        for chunk in self.chunks:
            last = found[-1] if found else None
            if last and last[-1].end == chunk.image_offset and chunk.end - last[0].image_offset <= _BATCH_BYTES:
                last.append(chunk)
            else:
                found.append([chunk])
        return [tuple(each) for each in found]


@dataclass(frozen=True, slots=True)
class PatchPart:
    """A segment of a patch, the chunks it contains, in order, and the numbers of those that are needed."""

    segment: Segment
    chunks: tuple[Chunk, ...]
    needed: AbstractSet[int]
    is_difference: bool = False


@dataclass(slots=True)
class FetchRound:
    """The work of one round. Failures, and chunks needed more than once, are left for the next round."""

    copies: list[Copy] = field(default_factory=list)
    fetch: list[Chunk] = field(default_factory=list)


def sources_on(disk: Disk, manifest: Manifest) -> dict[str, Source]:
    """Return where chunks should be according to a manifest and the existing files, without reading them."""
    found: dict[str, Source] = {}
    if len(disk):
        for chunk in manifest.chunks:
            entry = disk.file(chunk.file.path)
            if entry is not None and chunk.start + chunk.length <= entry.size:
                found.setdefault(chunk.id, Source(entry.path, chunk.start))
    return found


def sources_in(files: Iterable[File], wanted: AbstractSet[str]) -> dict[str, Source]:
    """Return where chunks with some ids are in intact files."""
    found: dict[str, Source] = {}
    for file in files if wanted else ():
        for chunk in file_chunks(file):
            if chunk.id in wanted:
                found.setdefault(chunk.id, Source(file.path, chunk.start))
    return found


def plan_round(todo: Iterable[Chunk], *, source: Callable[[Chunk], Source | None]) -> FetchRound:
    """Return a round that copies chunks with a source and downloads every other chunk once."""
    planned, requested = FetchRound(), set[str]()
    for chunk in todo:
        if (found := source(chunk)) is not None:
            planned.copies.append(Copy(chunk, found))
        elif chunk.id not in requested:
            requested.add(chunk.id)
            planned.fetch.append(chunk)
    return planned


def plan_pieces(chunks: Sequence[Chunk], *, images: Sequence[str], connections: int) -> list[Piece]:
    """Return the requests for chunks: few, but enough to keep all connections busy until the end.

    The first ones are small, so that the speed of the connection is known soon. `images` are the versions by the number
    of their image.
    """
    ordered = sorted(chunks, key=lambda chunk: (chunk.file.image, chunk.image_offset))
    left = count_bytes(ordered)
    pieces: list[Piece] = []
    held: list[Chunk] = []
    for chunk in ordered:
        most = min(MAX_PIECE_BYTES, MIN_PIECE_BYTES << min(len(pieces) // connections, 10), left // (2 * connections))
        if held and not _belongs(chunk, held=held, most=max(most, MIN_PIECE_BYTES)):
            pieces.append(_piece(held, images=images))
            left -= count_bytes(held)
            held = []
        held.append(chunk)
    if held:
        pieces.append(_piece(held, images=images))
    return pieces


def plan_patches(
    patches: PatchSet, fetch: Sequence[Chunk], *, new: Manifest, intact: Mapping[str, int]
) -> list[PatchPart]:
    """Return the segments that are smaller than the chunks they replace and use only intact old files.

    `intact` are the sizes of those files.
    """
    needed = {chunk.number for chunk in fetch}
    starts = {(chunk.file.path, chunk.start): chunk for chunk in new.chunks}
    chosen = []
    segments = ((segment, False) for segment in patches.segments)
    differences = ((segment, True) for segment in patches.differences)
    for segment, is_difference in sorted((*segments, *differences), key=lambda each: each[0].offset):
        chunks = _filled(segment, starts=starts)
        spared = count_bytes(chunk for chunk in chunks if chunk.number in needed)
        if segment.length < spared and _is_usable(segment, patches=patches, intact=intact):
            chosen.append(PatchPart(segment, chunks, needed, is_difference))
    return chosen


def runs_of_patches(parts: Sequence[PatchPart], *, most: int = MIN_PIECE_BYTES * 16) -> list[list[PatchPart]]:
    """Return adjacent segments grouped for one request each."""
    runs: list[list[PatchPart]] = []
    for part in parts:
        last = runs[-1][-1].segment if runs else None
        begin = runs[-1][0].segment.offset if runs else 0
        near = last is not None and 0 <= part.segment.offset - last.offset - last.length < _MAX_GAP_BYTES
        if near and part.segment.offset + part.segment.length - begin <= most:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _belongs(chunk: Chunk, *, held: Sequence[Chunk], most: int) -> bool:
    last = held[-1]
    if chunk.file.image != last.file.image or chunk.image_offset - last.end >= _MAX_GAP_BYTES:
        return False
    return chunk.end - held[0].image_offset <= most


def _piece(held: Sequence[Chunk], *, images: Sequence[str]) -> Piece:
    return Piece(images[held[0].file.image], held[0].image_offset, held[-1].end, tuple(held))


def _filled(segment: Segment, *, starts: dict[tuple[str, int], Chunk]) -> tuple[Chunk, ...]:
    """Return the chunks that a segment contains, or none if it does not consist of whole chunks."""
    chunks: list[Chunk] = []
    for path, offset, length in segment.new:
        place = offset
        while place < offset + length:
            chunk = starts.get((path, place))
            if chunk is None:
                return ()
            chunks.append(chunk)
            place += chunk.length
        if place != offset + length:
            return ()
    return tuple(chunks) if count_bytes(chunks) == segment.plain else ()


def _is_usable(segment: Segment, *, patches: PatchSet, intact: Mapping[str, int]) -> bool:
    """Return whether a segment is valid: it must not exceed memory limits or read files outside the installation."""
    if segment.offset < 0 or not 0 < segment.length <= patches.size - segment.offset:
        return False
    if segment.plain > _MAX_PLAIN_BYTES or sum(length for _, _, length in segment.old) > _MAX_OLD_BYTES:
        return False
    return all(_is_in(span, intact=intact) for span in segment.old)


def _is_in(span: Span, *, intact: Mapping[str, int]) -> bool:
    path, offset, length = span
    return path in intact and offset >= 0 and 0 <= length <= intact[path] - offset


def count_bytes(chunks: Iterable[Chunk]) -> int:
    return sum(chunk.length for chunk in chunks)
