"""The tasks that make patches, and smaller ones later."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Self

import zstandard
from msgspec import Struct, json
from msgspec.structs import replace
from sqlalchemy.orm import Session

from playdock.content.bodies import Span
from playdock.content.differences import MEMORY_FOR_EACH_BYTE
from playdock.content.names import printable
from playdock.content.patches import Effort, Segment, compress, is_worthwhile, plan_patches
from playdock.content.programs import HEAD_SIZE, is_machine_code
from playdock.db.failures import on_rollback
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.patches import queries
from playdock.features.patches.errors import NoPatches
from playdock.features.patches.schemas import FileSpan, PatchesResponse, SegmentResponse
from playdock.features.patches.service import (
    IMPROVE_TYPE,
    TASK_TYPE,
    Patches,
    VersionPair,
    bytes_key,
    find_pair,
    list_key,
    part_key,
)
from playdock.kit.identifiers import new_id
from playdock.kit.machine import available_memory, is_idle
from playdock.kit.messages import Message
from playdock.models import Game, Library, PatchSet, Version
from playdock.sending.files import ContentMismatch, LocationUnavailable, Opener, read
from playdock.storage.archives import Archives
from playdock.storage.blobs import NoSuchBlob
from playdock.storage.differences import make_difference
from playdock.storage.locations import VersionLocation
from playdock.storage.openers import VersionOpener
from playdock.stored import PatchVersionArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskFailed

# The list is compressed once and sent many times, so more effort than zstd's default level, 3, pays off.
_LIST_LEVEL = 9
# The share of the space for all sets that one set may use.
_SHARE = 1 / 4
# The expected size of a set, as a share of the data it produces: releases of real games gave 4% to 15%.
_LIKELY = 1 / 8
# Differences of as much take a few minutes; those of the rest wait for an idle machine.
_MAX_QUICK_PROGRAM_BYTES = 256 * 1024**2
# On a machine that is always busy, a set of 1 GiB is improved within two hours.
_MAX_WAIT_SECONDS = 60
_WAIT_SECONDS = 0.5


class PatchVersion(Struct, frozen=True):
    """Makes the patches between two versions, as far as they fit; ``most_bytes`` is the space for all sets.

    Programs get differences, unless a client is waiting. With high effort, it replaces existing patches while the
    machine has nothing else to do.
    """

    patches: Patches
    installations: Installations
    archives: Archives
    backends: LibraryBackends
    most_bytes: int
    task_type: str = TASK_TYPE
    effort: Effort = Effort.QUICK

    def improving(self) -> Self:
        """Return the task that replaces patches of this one by smaller ones."""
        return replace(self, task_type=IMPROVE_TYPE, effort=Effort.HIGH)

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            job = self._find_job(session, context)
        if job is None:
            return
        set_id = new_id()
        segments = self._plan(context, job)
        if self.effort is Effort.QUICK:
            self._make_room(context, segments)
        parts = self._make_parts(context, job, segments)
        try:
            size = self._write(context, job, set_id, parts, count=len(segments))
        except BaseException:
            self.patches.discard(set_id)
            raise
        if job.improves is not None and size >= job.improves.size:
            # There was less memory than when the existing set was made.
            self.patches.discard(set_id)
            self.patches.discard_parts(part.key for part in parts)
            return
        with on_rollback(lambda: self.patches.discard(set_id)):
            evicted = self._record(context, job, set_id, size=size)
        self._discard(evicted)
        self.patches.discard_parts(part.key for part in parts)

    def _find_job(self, session: Session, context: TaskContext) -> "_Job | None":
        """Return the set to be made, None if it already exists, or if there is none to be improved."""
        try:
            arguments = context.arguments(PatchVersionArguments)
            pair = find_pair(session, arguments.version, arguments.from_id)
        except VersionUnknown:
            raise TaskFailed("Version deleted", Message("version-deleted-before-patches")) from None
        except NoPatches:
            raise TaskFailed("Not needed", Message("patches-not-needed")) from None
        existing = queries.find(session, pair.new.id, pair.old.id)
        exists = existing is not None and pair.suits(existing)
        if exists != (self.effort is Effort.HIGH):
            return None
        location = game_queries.find_library_of(session, pair.new.game_id)
        assert location is not None
        old, new = (self._side(session, version, *location) for version in (pair.old, pair.new))
        return _Job(pair, old, new, improves=existing if exists else None)

    def _side(self, session: Session, version: Version, game: Game, library: Library) -> "_Side":
        layers = game_queries.with_bases(session, version)
        backend = self.backends.of_game(game, library)
        return _Side(
            tuple(VersionRevision.of(layer) for layer in layers),
            tuple(backend.location(game.path, layer.name) for layer in layers),
        )

    def _make_room(self, context: TaskContext, segments: Sequence[Segment]) -> None:
        """Delete other sets before writing, to make room for the expected size: the disk may have no more space."""
        plain = sum(segment.plain for segment in segments)
        likely = min(int(plain * _LIKELY), self._most_of_a_set)
        with context.db.write() as session:
            evicted = queries.make_room(session, most=self.most_bytes - likely)
        self._discard(evicted)

    def _make_parts(self, context: TaskContext, job: "_Job", segments: Sequence[Segment]) -> "list[_Part]":
        """Make and store the frame of each segment, unless an interrupted run has stored it, as far as they fit."""
        with _failures_translated(), self._opened(job.old) as old, self._opened(job.new) as new:
            with_differences = self.effort is Effort.HIGH or context.arguments(PatchVersionArguments).differences
            maker = _PartMaker(self.patches, context, self.effort, old, new, with_differences)
            return list(maker.parts(segments, most=self._most_of_a_set))

    def _write(self, context: TaskContext, job: "_Job", set_id: str, parts: "Sequence[_Part]", *, count: int) -> int:
        """Write the frames, then the list of segments; return the size of the frames in bytes."""
        blobs = self.patches.blobs
        segments: list[SegmentResponse] = []
        differences: list[SegmentResponse] = []
        size = 0
        for part in parts:
            if part.length:
                listed = differences if part.segment.is_difference else segments
                listed.append(_segment_response(part.segment, offset=size, length=part.length))
                size += part.length
        blobs.put(bytes_key(set_id), (piece for part in parts for piece in blobs.open(part.key)))
        listing = _listing(job.pair, set_id, size, segments, differences)
        blobs.put(list_key(set_id), [zstandard.compress(json.encode(listing), _LIST_LEVEL)])
        made = len(segments) + len(differences)
        context.log(Message("patches-made", made=made, count=count, size=size))
        return size

    def _discard(self, set_ids: Iterable[str]) -> None:
        for set_id in set_ids:
            self.patches.discard(set_id)

    @property
    def _most_of_a_set(self) -> int:
        return int(self.most_bytes * _SHARE)

    def _plan(self, context: TaskContext, job: "_Job") -> list[Segment]:
        old, new = (self.installations.stack(side.chain).merge() for side in (job.old, job.new))
        segments = []
        for segment in plan_patches(old, new):
            context.check()
            segments.append(segment)
        return segments

    @contextmanager
    def _opened(self, side: "_Side") -> Iterator[Opener]:
        opener = VersionOpener(side.places, self.archives, max_wait=None)
        try:
            yield opener
        finally:
            opener.release()

    def _record(self, context: TaskContext, job: "_Job", set_id: str, *, size: int) -> list[str]:
        """Record the patch set; return the ids of the sets evicted to make room."""
        now, pair = context.clock(), job.pair
        new_set = PatchSet(
            id=set_id,
            version_id=pair.new.id,
            from_id=pair.old.id,
            version_etag=pair.new.manifest_etag,
            from_etag=pair.old.manifest_etag,
            size=size,
            created=now,
            used=job.improves.used if job.improves else now,
        )
        with context.complete() as session:
            if self.effort is Effort.QUICK:
                self.patches.improve(session, pair, size=size)
            replaced = queries.replace(session, new_set)
            return [*replaced, *queries.make_room(session, most=self.most_bytes, keep=set_id)]


class _Side(Struct, frozen=True):
    """The names and locations of a version's layers, base first."""

    chain: tuple[VersionRevision, ...]
    places: tuple[VersionLocation, ...]


class _Job(Struct, frozen=True):
    """The two versions of a set to be made, and the set that it improves, if any."""

    pair: VersionPair
    old: _Side
    new: _Side
    improves: PatchSet | None


class _Part(Struct, frozen=True):
    """A stored frame of a segment, and its length in bytes: none if the segment is omitted."""

    segment: Segment
    key: str
    length: int


class _PartMaker(Struct):
    """Makes frames and stores them, so that an interrupted task does not make them again.

    ``program_bytes`` are the new bytes of which differences were made.
    """

    patches: Patches
    context: TaskContext
    effort: Effort
    old: Opener
    new: Opener
    with_differences: bool
    program_bytes: int = 0
    is_memory_logged: bool = False

    def parts(self, segments: Sequence[Segment], *, most: int) -> Iterator[_Part]:
        """Yield the parts of all segments; those that do not fit into ``most`` bytes are omitted."""
        total = sum(segment.plain for segment in segments)
        size = done = 0
        for segment in segments:
            self.context.advance(done, total)
            done += segment.plain
            if size < most:
                part = self._part(segment)
                if size + part.length <= most:
                    size += part.length
                    yield part

    def _part(self, segment: Segment) -> _Part:
        """Return the stored part, or make it: as a difference if that is smaller."""
        known = (segment.as_difference(), segment) if self.with_differences else (segment,)
        for each in known:
            if (length := self._stored_length(self._key(each))) is not None:
                return _Part(each, self._key(each), length)
        if self.effort is Effort.HIGH:
            _wait_for_idle(self.context)
        made, frame = self._smallest(segment)
        worthwhile = is_worthwhile(len(frame), made.plain)
        length = self.patches.blobs.put(self._key(made), [frame] if worthwhile else [])
        with self.context.checkpoint():
            pass
        return _Part(made, self._key(made), length)

    def _smallest(self, segment: Segment) -> tuple[Segment, bytes]:
        """Return the segment or its difference, whichever has the smaller frame, and the frame."""
        plain = _joined(segment.new, self.new)
        frame = compress(plain, _joined(segment.old, self.old), self.effort)
        difference = segment.as_difference()
        if not self._suits(difference) or not self._has_memory(difference):
            return segment, frame
        self.program_bytes += len(plain)
        other = make_difference(plain, _joined(difference.old, self.old), self.effort, check=self.context.check)
        return (segment, frame) if other is None or len(frame) <= len(other) else (difference, other)

    def _suits(self, difference: Segment) -> bool:
        """Return whether to make a difference: of programs, if there is time for it."""
        if not self.with_differences or not difference.old:
            return False
        if self.effort is Effort.QUICK and self.program_bytes + difference.plain > _MAX_QUICK_PROGRAM_BYTES:
            return False
        largest = max(difference.new, key=lambda span: span.length)
        head = read(largest._replace(offset=0, length=min(HEAD_SIZE, largest.file.size)), self.new)
        return is_machine_code(head)

    def _has_memory(self, difference: Segment) -> bool:
        """Return whether there is memory for a difference; the first time there is not, log it."""
        needed = 2 * MEMORY_FOR_EACH_BYTE * sum(span.length for span in difference.old)
        available = available_memory()
        if available >= needed:
            return True
        if not self.is_memory_logged:
            self.is_memory_logged = True
            self.context.log(Message("patches-memory", needed=needed, available=available))
        return False

    def _key(self, segment: Segment) -> str:
        return part_key(self.context.task.id, _digest(segment))

    def _stored_length(self, key: str) -> int | None:
        try:
            return sum(map(len, self.patches.blobs.open(key)))
        except NoSuchBlob:
            return None


def _digest(segment: Segment) -> str:
    """Return what identifies a segment: its kind, and the content of its spans."""
    spans = [[(span.file.hash, span.offset, span.length) for span in side] for side in (segment.old, segment.new)]
    return blake2b(json.encode([segment.is_difference, spans]), digest_size=16).hexdigest()


def _wait_for_idle(context: TaskContext) -> None:
    """Wait until the machine is idle, but not without limit, so that a busy machine gets smaller patches too."""
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    while not is_idle() and time.monotonic() < deadline:
        context.check()
        context.stopping.wait(_WAIT_SECONDS)


@contextmanager
def _failures_translated() -> Iterator[None]:
    """Translate errors of reading files into task failures, and decide whether to retry."""
    try:
        yield
    except ContentMismatch as mismatch:
        raise TaskFailed(
            "Version changed", Message("file-changed", file=f"“{printable(mismatch.file.path)}”")
        ) from None
    except LocationUnavailable:
        raise RetryableFailure("Library unavailable", Message("library-away")) from None


def _joined(spans: Sequence[Span], opener: Opener) -> bytes:
    return b"".join(read(span, opener) for span in spans)


def _segment_response(segment: Segment, *, offset: int, length: int) -> SegmentResponse:
    old, new = _file_spans(segment.old), _file_spans(segment.new)
    return SegmentResponse(offset=offset, length=length, plain=segment.plain, old=old, new=new)


def _file_spans(spans: Sequence[Span]) -> list[FileSpan]:
    return [(span.file.path, span.offset, span.length) for span in spans]


def _listing(
    pair: VersionPair, set_id: str, size: int, segments: list[SegmentResponse], differences: list[SegmentResponse]
) -> PatchesResponse:
    return PatchesResponse(
        id=set_id,
        from_id=pair.old.id,
        to=pair.new.id,
        from_etag=pair.old.manifest_etag,
        to_etag=pair.new.manifest_etag,
        size=size,
        segments=segments,
        differences=differences,
    )
