"""Where the bytes of a new version come from: which are there already, and which to ask the server for. Pure."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec

from playdock_client.answers import PatchSet, Segment, Span
from playdock_client.disk import Disk
from playdock_client.manifest import Chunk, Manifest

SMALLEST_PIECE = 1024 * 1024
LARGEST_PIECE = 64 * 1024 * 1024
_NEAR = 128 * 1024
_BATCH = 256 * 1024
_LARGEST_PLAIN = 32 * 1024 * 1024
_LARGEST_OLD = 128 * 1024 * 1024


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where the bytes of a chunk should be on this disk: a path below the installation's folder, and a place in it."""

    path: str
    start: int


class Copy(msgspec.Struct, frozen=True, gc=False):
    """A chunk and where to copy it from."""

    chunk: Chunk
    source: Source


@dataclass(frozen=True, slots=True)
class Piece:
    """What one request fetches: bytes `start` to `end` of a version's image; not all of them need be wanted."""

    version: str
    start: int
    end: int
    chunks: tuple[Chunk, ...]

    def batches(self) -> list[tuple[Chunk, ...]]:
        """Give neighbours together, in pieces that are read, checked and noted down at once."""
        found: list[list[Chunk]] = []
        for chunk in self.chunks:
            last = found[-1] if found else None
            if last and last[-1].end == chunk.place and chunk.end - last[0].place <= _BATCH:
                last.append(chunk)
            else:
                found.append([chunk])
        return [tuple(each) for each in found]


@dataclass(frozen=True, slots=True)
class PatchPart:
    """A segment of a patch, the chunks that its plain bytes are, in order, and the numbers of those that are wanted."""

    segment: Segment
    chunks: tuple[Chunk, ...]
    wanted: AbstractSet[int]


@dataclass(slots=True)
class Round:
    """What to do at once. What fails, and chunks that are wanted twice, are left for the next round."""

    copies: list[Copy] = field(default_factory=list)
    fetch: list[Chunk] = field(default_factory=list)


def sources_on(disk: Disk, manifest: Manifest) -> dict[str, Source]:
    """Tell where chunks should be by what a manifest says of the files that are there; nobody has looked into them."""
    found: dict[str, Source] = {}
    if len(disk):
        for chunk in manifest.chunks:
            entry = disk.file(chunk.file.path)
            if entry is not None and chunk.start + chunk.length <= entry.size:
                found.setdefault(chunk.id, Source(entry.path, chunk.start))
    return found


def plan_round(todo: Iterable[Chunk], *, source: Callable[[Chunk], Source | None]) -> Round:
    """Copy what there is a source for, and fetch every other chunk once, however often it is wanted."""
    planned, asked = Round(), set[str]()
    for chunk in todo:
        if (found := source(chunk)) is not None:
            planned.copies.append(Copy(chunk, found))
        elif chunk.id not in asked:
            asked.add(chunk.id)
            planned.fetch.append(chunk)
    return planned


def plan_pieces(chunks: Sequence[Chunk], *, images: Sequence[str], connections: int) -> list[Piece]:
    """Cut what is to be fetched into requests: few, but enough to keep all connections busy to the end.

    The first ones are small, so that the speed of the line is known soon; `images` are the versions by the number of
    their image.
    """
    ordered = sorted(chunks, key=lambda chunk: (chunk.file.image, chunk.place))
    left = count_bytes(ordered)
    pieces: list[Piece] = []
    held: list[Chunk] = []
    for chunk in ordered:
        most = min(LARGEST_PIECE, SMALLEST_PIECE << min(len(pieces) // connections, 10), left // (2 * connections))
        if held and not _belongs(chunk, held=held, most=max(most, SMALLEST_PIECE)):
            pieces.append(_piece(held, images=images))
            left -= count_bytes(held)
            held = []
        held.append(chunk)
    if held:
        pieces.append(_piece(held, images=images))
    return pieces


def plan_patches(
    patches: PatchSet, fetch: Sequence[Chunk], *, old: Manifest, new: Manifest, sound: AbstractSet[str]
) -> list[PatchPart]:
    """Choose the segments that are smaller than what they spare; only `sound` old files can be patched."""
    wanted = {chunk.number for chunk in fetch}
    starts = {(chunk.file.path, chunk.start): chunk for chunk in new.chunks}
    chosen = []
    for segment in sorted(patches.segments, key=lambda each: each.offset):
        chunks = _filled(segment, starts=starts)
        spared = count_bytes(chunk for chunk in chunks if chunk.number in wanted)
        if segment.length < spared and _is_usable(segment, patches=patches, old=old, sound=sound):
            chosen.append(PatchPart(segment, chunks, wanted))
    return chosen


def runs_of_patches(parts: Sequence[PatchPart], *, most: int = SMALLEST_PIECE * 16) -> list[list[PatchPart]]:
    """Put segments together that lie beside each other, for one request."""
    runs: list[list[PatchPart]] = []
    for part in parts:
        last = runs[-1][-1].segment if runs else None
        begin = runs[-1][0].segment.offset if runs else 0
        near = last is not None and 0 <= part.segment.offset - last.offset - last.length < _NEAR
        if near and part.segment.offset + part.segment.length - begin <= most:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _belongs(chunk: Chunk, *, held: Sequence[Chunk], most: int) -> bool:
    last = held[-1]
    if chunk.file.image != last.file.image or chunk.place - last.end >= _NEAR:
        return False
    return chunk.end - held[0].place <= most


def _piece(held: Sequence[Chunk], *, images: Sequence[str]) -> Piece:
    return Piece(images[held[0].file.image], held[0].place, held[-1].end, tuple(held))


def _filled(segment: Segment, *, starts: dict[tuple[str, int], Chunk]) -> tuple[Chunk, ...]:
    """Give the chunks that a segment fills, none if it does not fill whole ones."""
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


def _is_usable(segment: Segment, *, patches: PatchSet, old: Manifest, sound: AbstractSet[str]) -> bool:
    """Nothing a server says decides how much memory is taken, or which files outside of the installation are read."""
    if segment.offset < 0 or not 0 < segment.length <= patches.size - segment.offset:
        return False
    if segment.plain > _LARGEST_PLAIN or sum(length for _, _, length in segment.old) > _LARGEST_OLD:
        return False
    return all(_is_in(span, old=old) and span[0] in sound for span in segment.old)


def _is_in(span: Span, *, old: Manifest) -> bool:
    path, offset, length = span
    file = old.by_path.get(path)
    return file is not None and offset >= 0 and 0 <= length <= file.size - offset


def count_bytes(chunks: Iterable[Chunk]) -> int:
    return sum(chunk.length for chunk in chunks)
