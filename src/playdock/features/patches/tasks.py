"""The tasks that make patches, and smaller ones later."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import zstandard
from msgspec import Struct, field, json
from msgspec.structs import replace
from sqlalchemy.orm import Session

from playdock.content.bodies import Span
from playdock.content.names import printable
from playdock.content.patches import Effort, Segment, plan_patches
from playdock.db.failures import on_rollback
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.patches import queries
from playdock.features.patches.errors import NoPatches
from playdock.features.patches.parts import PartMaker, PatchPart
from playdock.features.patches.schemas import FileSpan, PatchesResponse, SegmentResponse
from playdock.features.patches.service import (
    IMPROVE_TYPE,
    TASK_TYPE,
    Patches,
    VersionPair,
    bytes_key,
    find_pair,
    list_key,
)
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game, Library, PatchSet, Version
from playdock.sending.files import ContentMismatch, LocationUnavailable, Opener
from playdock.storage.archives import Archives
from playdock.storage.blobs import NoSuchBlob
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


class PatchVersion(Struct, frozen=True):
    """Makes the patches between two versions, as far as they fit; ``most_bytes`` is the space for all sets.

    When it improves patches, it replaces them: first programs by differences, right away, then everything with high
    effort, while the machine has nothing else to do.
    """

    patches: Patches
    installations: Installations
    archives: Archives
    backends: LibraryBackends
    most_bytes: int
    task_type: str = TASK_TYPE

    def improving(self) -> Self:
        """Return the task that replaces patches of this one by smaller ones."""
        return replace(self, task_type=IMPROVE_TYPE)

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            job = self._find_job(session, context)
        if job is None:
            return
        set_id = new_id()
        segments = self._plan(context, job)
        if job.improves is None:
            self._make_room(context, segments)
        parts = self._make_parts(context, job, segments)
        try:
            written = self._write(context, job, set_id, parts.made, count=len(segments))
        except BaseException:
            self.patches.discard(set_id)
            raise
        if job.improves is not None and written.saved <= self._saved_by(job.improves):
            self.patches.discard(set_id)
            self._keep(context, job, job.improves)
        else:
            with on_rollback(lambda: self.patches.discard(set_id)):
                evicted = self._record(context, job, set_id, size=written.size, has_programs=parts.has_programs)
            self._discard(evicted)
        self.patches.discard_parts(part.key for part in parts.made)

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
        improves = self.task_type == IMPROVE_TYPE
        if exists != improves:
            return None
        location = game_queries.find_library_of(session, pair.new.game_id)
        assert location is not None
        old, new = (self._side(session, version, *location) for version in (pair.old, pair.new))
        effort = Effort.HIGH if improves and not arguments.differences else Effort.QUICK
        return _Job(pair, old, new, improves=existing if exists else None, effort=effort)

    def _side(self, session: Session, version: Version, game: Game, library: Library) -> "_Side":
        layers = game_queries.with_bases(session, version)
        files = self.backends.files_of(game, library)
        return _Side(
            tuple(VersionRevision.of(layer) for layer in layers),
            tuple(map(files.location, layers)),
        )

    def _make_room(self, context: TaskContext, segments: Sequence[Segment]) -> None:
        """Delete other sets before writing, to make room for the expected size: the disk may have no more space."""
        plain = sum(segment.plain for segment in segments)
        likely = min(int(plain * _LIKELY), self._most_of_a_set)
        with context.db.write() as session:
            evicted = queries.make_room(session, most=self.most_bytes - likely)
        self._discard(evicted)

    def _make_parts(self, context: TaskContext, job: "_Job", segments: Sequence[Segment]) -> "_Parts":
        """Make and store the frame of each segment, unless an interrupted run has stored it, as far as they fit."""
        with _failures_translated(), self._opened(job.old) as old, self._opened(job.new) as new:
            maker = PartMaker(self.patches, context, job.effort, job.improves is not None, old, new)
            made = list(maker.parts(segments, most=self._most_of_a_set))
            return _Parts(made, has_programs=any(map(maker.is_program, segments)))

    def _write(
        self, context: TaskContext, job: "_Job", set_id: str, parts: "Sequence[PatchPart]", *, count: int
    ) -> "_Size":
        """Write the frames, then the list of segments; return their sizes."""
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
        return _Size(size, _saved(listing))

    def _saved_by(self, patch_set: PatchSet) -> int:
        """Return how many bytes a client need not download because of a set; 0 if its list is gone."""
        try:
            packed = b"".join(self.patches.blobs.open(list_key(patch_set.id)))
        except NoSuchBlob:
            return 0
        return _saved(json.decode(zstandard.decompress(packed), type=_Frames))

    def _keep(self, context: TaskContext, job: "_Job", patch_set: PatchSet) -> None:
        """Complete the task without a new set: there is less memory, perhaps, than when the existing one was made."""
        context.log(Message("patches-not-smaller"))
        with context.complete() as session:
            self._go_on(session, job, size=patch_set.size, has_programs=False)

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

    def _record(self, context: TaskContext, job: "_Job", set_id: str, *, size: int, has_programs: bool) -> list[str]:
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
            self._go_on(session, job, size=size, has_programs=has_programs)
            replaced = queries.replace(session, new_set)
            return [*replaced, *queries.make_room(session, most=self.most_bytes, keep=set_id)]

    def _go_on(self, session: Session, job: "_Job", *, size: int, has_programs: bool) -> None:
        """Have the set improved: with differences if it has programs and none were tried, else with high effort."""
        if job.effort is Effort.QUICK:
            self.patches.improve(session, job.pair, size=size, differences=has_programs and job.improves is None)


class _Side(Struct, frozen=True):
    """The names and locations of a version's layers, base first."""

    chain: tuple[VersionRevision, ...]
    places: tuple[VersionLocation, ...]


class _Job(Struct, frozen=True):
    """The two versions of a set to be made, the set that it improves, if any, and the effort."""

    pair: VersionPair
    old: _Side
    new: _Side
    improves: PatchSet | None
    effort: Effort


class _Size(Struct, frozen=True):
    """The size of a set's frames in bytes, and how many bytes a client need not download because of it."""

    size: int
    saved: int


class _Frame(Struct, frozen=True):
    """The size of a segment, as in a stored list, compressed and not."""

    length: int
    plain: int


class _Frames(Struct, frozen=True):
    """What a stored list says of sizes. The paths in it take much memory."""

    segments: list[_Frame]
    differences: list[_Frame] = field(default_factory=list)


class _Parts(Struct, frozen=True):
    """The parts of a set, and whether some of its segments are programs."""

    made: list[PatchPart]
    has_programs: bool


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


def _saved(listing: "PatchesResponse | _Frames") -> int:
    return sum(each.plain - each.length for each in (*listing.segments, *listing.differences))


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
