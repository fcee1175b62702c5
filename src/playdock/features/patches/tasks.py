"""The task that makes patches."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import zstandard
from msgspec import json
from sqlalchemy.orm import Session

from playdock.content.bodies import Span
from playdock.content.names import shown
from playdock.content.patches import Segment, compress, plan_patches, saves
from playdock.features.games import queries as game_queries
from playdock.features.games.errors import VersionUnknown
from playdock.features.installations.service import Installations, Revision
from playdock.features.libraries.service import backend_of
from playdock.features.patches import queries
from playdock.features.patches.errors import NoPatches
from playdock.features.patches.schemas import FileSpan, PatchesAnswer, SegmentAnswer
from playdock.features.patches.service import GROUP, Pair, Patches, bytes_key, find_pair, list_key
from playdock.jobs.errors import PassingFault, TaskFailed
from playdock.jobs.work import Work
from playdock.kit.secrets import new_id
from playdock.models import Game, Library, PatchSet, Version
from playdock.sending.files import ContentGone, Opener, PlaceAway
from playdock.sending.transfer import read
from playdock.storage.archives import Archives
from playdock.storage.serving import Place, VersionOpener

_LIST_LEVEL = 9
# A set may take so much of the room for all.
_SHARE = 1 / 4
# So much of what a set unpacks to is it likely to be: releases of real games and programs gave 4 to 15 %.
_LIKELY = 1 / 8


@dataclass(frozen=True, slots=True)
class PatchVersion:
    """Makes the patches between two versions, as many as there is room for; ``most_bytes`` is the room for all sets."""

    patches: Patches
    installations: Installations
    archives: Archives
    most_bytes: int
    group: str = GROUP

    def run(self, work: Work) -> None:
        with work.db.read() as session:
            job = _find(session, work)
        if job is None:
            return
        set_id = new_id()
        try:
            segments = self._plan(work, job)
            self._make_room(work, segments)
            size = self._write(work, job, set_id, segments)
            gone = self._keep(work, job.pair, set_id, size=size)
        except BaseException:
            self.patches.discard(set_id)
            raise
        self._discard(gone)

    def _make_room(self, work: Work, segments: Sequence[Segment]) -> None:
        """Let others go for what the set is likely to be, before it is written, since the disk may have no more."""
        plain = sum(segment.plain for segment in segments)
        likely = min(int(plain * _LIKELY), self._most_of_a_set)
        with work.db.write() as session:
            gone = queries.make_room(session, most=self.most_bytes - likely)
        self._discard(gone)

    def _write(self, work: Work, job: "_Job", set_id: str, segments: Sequence[Segment]) -> int:
        """Write the frames, then the listing; give the size of the frames in bytes."""
        with _failures_explained(), self._opened(job.old) as old, self._opened(job.new) as new:
            making = _Making(work, segments, old, new, self._most_of_a_set)
            size = self.patches.blobs.put(bytes_key(set_id), making.frames())
        listing = _listing(job.pair, set_id, size, making.listed)
        self.patches.blobs.put(list_key(set_id), [zstandard.compress(json.encode(listing), _LIST_LEVEL)])
        work.log(f"Made {len(making.listed):,} of {len(segments):,} patches, {size:,} bytes.")
        return size

    def _discard(self, set_ids: Iterable[str]) -> None:
        for set_id in set_ids:
            self.patches.discard(set_id)

    @property
    def _most_of_a_set(self) -> int:
        return int(self.most_bytes * _SHARE)

    def _plan(self, work: Work, job: "_Job") -> list[Segment]:
        old, new = (self.installations.stack(side.chain).merge() for side in (job.old, job.new))
        segments = []
        for segment in plan_patches(old, new):
            work.check()
            segments.append(segment)
        return segments

    @contextmanager
    def _opened(self, side: "_Side") -> Iterator[Opener]:
        opener = VersionOpener(side.places, self.archives)
        try:
            yield opener
        finally:
            opener.rest()

    def _keep(self, work: Work, pair: Pair, set_id: str, *, size: int) -> list[str]:
        """Let the set be there, and give the ids of those that had to go for it."""
        now = work.clock()
        made = PatchSet(
            id=set_id,
            version_id=pair.new.id,
            from_id=pair.old.id,
            version_etag=pair.new.manifest_etag,
            from_etag=pair.old.manifest_etag,
            size=size,
            created=now,
            used=now,
        )
        with work.complete() as session:
            replaced = queries.replace(session, made)
            return [*replaced, *queries.make_room(session, most=self.most_bytes, keep=set_id)]


@dataclass(frozen=True, slots=True)
class _Side:
    """A version's layers, base first: what they are called, and where they lie."""

    chain: tuple[Revision, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class _Job:
    """What patches are to be made between."""

    pair: Pair
    old: _Side
    new: _Side


@dataclass(slots=True)
class _Making:
    """Frames that come to be, and what is told of those that were worth it and had room."""

    work: Work
    segments: Sequence[Segment]
    old: Opener
    new: Opener
    most_bytes: int
    listed: list[SegmentAnswer] = field(default_factory=list)

    def frames(self) -> Iterator[bytes]:
        total = sum(segment.plain for segment in self.segments)
        offset = done = 0
        for segment in self.segments:
            self.work.advance(done, total)
            done += segment.plain
            if offset >= self.most_bytes:
                continue
            frame = compress(_joined(segment.new, self.new), _joined(segment.old, self.old))
            if saves(len(frame), segment.plain) and offset + len(frame) <= self.most_bytes:
                self.listed.append(_described(segment, offset=offset, length=len(frame)))
                offset += len(frame)
                yield frame


def _find(session: Session, work: Work) -> _Job | None:
    """Find what is to be done; None if it has been done already."""
    try:
        pair = find_pair(session, work.arguments["version"], work.arguments["from"])
    except VersionUnknown:
        raise TaskFailed("Version gone", "One of the two versions was deleted before there were patches.") from None
    except NoPatches:
        raise TaskFailed("Not needed", "The order of the two versions was changed before there were patches.") from None
    there = queries.find(session, pair.new.id, pair.old.id)
    if there is not None and pair.suits(there):
        return None
    lying = game_queries.find_library_of(session, pair.new.game_id)
    assert lying is not None
    return _Job(pair, _side(session, pair.old, *lying), _side(session, pair.new, *lying))


def _side(session: Session, version: Version, game: Game, library: Library) -> _Side:
    layers = game_queries.with_bases(session, version)
    backend = backend_of(library)
    return _Side(
        tuple(Revision.of(layer) for layer in layers),
        tuple(backend.place(game.path, layer.name) for layer in layers),
    )


@contextmanager
def _failures_explained() -> Iterator[None]:
    """Say what keeps the files of versions from being read, and whether that may pass."""
    try:
        yield
    except ContentGone as gone:
        detail = "is not in the library as it was imported. Put it back as it was, or import the version again."
        raise TaskFailed("Version changed", f"{shown(gone.file.path)} {detail}") from None
    except PlaceAway:
        raise PassingFault("Library away", "The library is not there. Check that its disk is mounted.") from None


def _joined(spans: Sequence[Span], opener: Opener) -> bytes:
    return b"".join(read(span, opener) for span in spans)


def _described(segment: Segment, *, offset: int, length: int) -> SegmentAnswer:
    old, new = _told(segment.old), _told(segment.new)
    return SegmentAnswer(offset=offset, length=length, plain=segment.plain, old=old, new=new)


def _told(spans: Sequence[Span]) -> list[FileSpan]:
    return [(span.file.path, span.offset, span.length) for span in spans]


def _listing(pair: Pair, set_id: str, size: int, segments: list[SegmentAnswer]) -> PatchesAnswer:
    return PatchesAnswer(
        id=set_id,
        from_id=pair.old.id,
        to=pair.new.id,
        from_etag=pair.old.manifest_etag,
        to_etag=pair.new.manifest_etag,
        size=size,
        segments=segments,
    )
