"""The task that makes patches."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import zstandard
from msgspec import Struct, field, json
from sqlalchemy.orm import Session

from playdock.content.bodies import Span
from playdock.content.names import printable
from playdock.content.patches import Segment, compress, is_worthwhile, plan_patches
from playdock.db.failures import on_rollback
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.patches import queries
from playdock.features.patches.errors import NoPatches
from playdock.features.patches.schemas import FileSpan, PatchesResponse, SegmentResponse
from playdock.features.patches.service import TASK_TYPE, Patches, VersionPair, bytes_key, find_pair, list_key
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game, Library, PatchSet, Version
from playdock.sending.files import ContentMismatch, LocationUnavailable, Opener, read
from playdock.storage.archives import Archives
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
    """Makes the patches between two versions, as far as they fit; ``most_bytes`` is the space for all sets."""

    patches: Patches
    installations: Installations
    archives: Archives
    backends: LibraryBackends
    most_bytes: int
    task_type: str = TASK_TYPE

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            job = self._find_job(session, context)
        if job is None:
            return
        set_id = new_id()
        try:
            segments = self._plan(context, job)
            self._make_room(context, segments)
            size = self._write(context, job, set_id, segments)
        except BaseException:
            self.patches.discard(set_id)
            raise
        with on_rollback(lambda: self.patches.discard(set_id)):
            evicted = self._record(context, job.pair, set_id, size=size)
        self._discard(evicted)

    def _find_job(self, session: Session, context: TaskContext) -> "_Job | None":
        """Return the set to be made, None if it already exists."""
        try:
            arguments = context.arguments(PatchVersionArguments)
            pair = find_pair(session, arguments.version, arguments.from_id)
        except VersionUnknown:
            raise TaskFailed("Version deleted", Message("version-deleted-before-patches")) from None
        except NoPatches:
            raise TaskFailed("Not needed", Message("patches-not-needed")) from None
        existing = queries.find(session, pair.new.id, pair.old.id)
        if existing is not None and pair.suits(existing):
            return None
        location = game_queries.find_library_of(session, pair.new.game_id)
        assert location is not None
        old, new = (self._side(session, version, *location) for version in (pair.old, pair.new))
        return _Job(pair, old, new)

    def _side(self, session: Session, version: Version, game: Game, library: Library) -> "_Side":
        layers = game_queries.with_bases(session, version)
        backend = self.backends.of(library)
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

    def _write(self, context: TaskContext, job: "_Job", set_id: str, segments: Sequence[Segment]) -> int:
        """Write the frames, then the list of segments; return the size of the frames in bytes."""
        with _failures_translated(), self._opened(job.old) as old, self._opened(job.new) as new:
            writer = _PatchWriter(context, segments, old, new, self._most_of_a_set)
            size = self.patches.blobs.put(bytes_key(set_id), writer.frames())
        listing = _listing(job.pair, set_id, size, writer.listed)
        self.patches.blobs.put(list_key(set_id), [zstandard.compress(json.encode(listing), _LIST_LEVEL)])
        context.log(Message("patches-made", made=len(writer.listed), count=len(segments), size=size))
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

    def _record(self, context: TaskContext, pair: VersionPair, set_id: str, *, size: int) -> list[str]:
        """Record the patch set; return the ids of the sets evicted to make room."""
        now = context.clock()
        new_set = PatchSet(
            id=set_id,
            version_id=pair.new.id,
            from_id=pair.old.id,
            version_etag=pair.new.manifest_etag,
            from_etag=pair.old.manifest_etag,
            size=size,
            created=now,
            used=now,
        )
        with context.complete() as session:
            replaced = queries.replace(session, new_set)
            return [*replaced, *queries.make_room(session, most=self.most_bytes, keep=set_id)]


class _Side(Struct, frozen=True):
    """The names and locations of a version's layers, base first."""

    chain: tuple[VersionRevision, ...]
    places: tuple[VersionLocation, ...]


class _Job(Struct, frozen=True):
    """The two versions of a set to be made."""

    pair: VersionPair
    old: _Side
    new: _Side


class _PatchWriter(Struct):
    """Generates frames and lists those that save enough and fit the budget."""

    context: TaskContext
    segments: Sequence[Segment]
    old: Opener
    new: Opener
    most_bytes: int
    listed: list[SegmentResponse] = field(default_factory=list)

    def frames(self) -> Iterator[bytes]:
        total = sum(segment.plain for segment in self.segments)
        offset = done = 0
        for segment in self.segments:
            self.context.advance(done, total)
            done += segment.plain
            if offset >= self.most_bytes:
                continue
            frame = compress(_joined(segment.new, self.new), _joined(segment.old, self.old))
            if is_worthwhile(len(frame), segment.plain) and offset + len(frame) <= self.most_bytes:
                self.listed.append(_segment_response(segment, offset=offset, length=len(frame)))
                offset += len(frame)
                yield frame


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


def _listing(pair: VersionPair, set_id: str, size: int, segments: list[SegmentResponse]) -> PatchesResponse:
    return PatchesResponse(
        id=set_id,
        from_id=pair.old.id,
        to=pair.new.id,
        from_etag=pair.old.manifest_etag,
        to_etag=pair.new.manifest_etag,
        size=size,
        segments=segments,
    )
