"""Resolving versions to bytes, permitting transfers, and opening manifests."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

from anyio import to_thread
from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.bodies import ContentBody, FileBody, VersionImageBody
from playdock.content.file_table import ServedFile
from playdock.content.frames import Frame, frames
from playdock.content.layouts import shown_version
from playdock.db.commit_cache import CommitScopedCache
from playdock.db.database import Database
from playdock.db.revisions import Numbers
from playdock.domain.games import queries
from playdock.domain.games.errors import FileUnknown, GameUnknown, VersionUnknown
from playdock.domain.installations.service import Chain, ContentTables, Installed, VersionRevision, manifest_key
from playdock.domain.libraries.service import LibraryBackends
from playdock.domain.transfers.service import TransferRecorder
from playdock.features.damage.queries import VerifiedLocation
from playdock.features.damage.service import Damages
from playdock.features.downloads import rules
from playdock.features.downloads.errors import ManifestMissing
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.links.service import LinkQuota
from playdock.features.patches.service import Patches, PatchSetBytes
from playdock.kit.content_encoding import ContentEncoding
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.kit.shared_lru import SharedLru
from playdock.models import Version
from playdock.sending.files import ContentMismatch, read_blocks
from playdock.sending.limits import DownloadLimiter, LimitStatus, TransferPermit
from playdock.sending.threads import SendingThreads
from playdock.server.object_threads import ObjectThreads
from playdock.settings import Settings
from playdock.storage.archives import Archives
from playdock.storage.blobs import NoSuchBlob
from playdock.storage.encoded_blobs import EncodedBlobs
from playdock.storage.locations import VersionLocation
from playdock.storage.openers import VersionOpener
from playdock.storage.s3_files import S3Place
from playdock.storage.trees import is_archive
from playdock.storage.x_accel import XAccel

_Table = TypeVar("_Table")


class ResolvedVersion(Struct, frozen=True):
    """A version with its title, and the names and locations of its layers, base first.

    All layers are in one library.
    """

    version_id: str
    etag: str
    title: str
    library_id: str
    path: str
    chain: Chain
    places: tuple[VersionLocation, ...]

    @property
    def packed(self) -> bool:
        """Whether any layer is in an archive or in S3, so that its files are read from a cache."""
        return self.in_s3 or any(is_archive(place.path) for place in self.places)

    @property
    def in_s3(self) -> bool:
        return isinstance(self.places[0], S3Place)


class Downloadable(Struct, frozen=True):
    """A part of a version that can be sent."""

    version: ResolvedVersion
    body: ContentBody
    etag: str
    name: str


class ContentResolver(Struct, frozen=True):
    """Finds the bytes of versions; cached versions are found without waiting for the database."""

    db: Database
    tables: ContentTables
    cache: CommitScopedCache[str, ResolvedVersion]
    backends: LibraryBackends
    threads: ObjectThreads

    async def find(self, version_id: str, request: ContentRequest) -> Downloadable:
        """Resolve a version, and return the requested part.

        Raises:
            VersionUnknown, FileUnknown: the version or the file does not exist.
            LayerMissing: the records of the version are missing from the storage.
        """
        version = await self.cache.cached(version_id)
        if version is None:
            revision = self.cache.revision
            version = await to_thread.run_sync(self.resolve, version_id)
            self.cache.store(version_id, version, revision=revision)
        if request.kind is Kind.CONTENT:
            return _select_image(version, await self._table(self.tables.images, version.chain))
        return _select_part(version, await self._table(self.tables.installed, version.chain), request)

    def find_cached(self, numbers: Numbers, version_id: str, request: ContentRequest) -> Downloadable | None:
        """Return the requested part of a version if everything needed is cached and current at ``numbers``.

        Raises:
            FileUnknown: the version has no such file.
        """
        version = self.cache.cached_at(numbers, version_id)
        if version is None:
            return None
        if request.kind is Kind.CONTENT:
            image = self.tables.images.cached(version.chain)
            return _select_image(version, image) if image else None
        installed = self.tables.installed.cached(version.chain)
        return _select_part(version, installed, request) if installed else None

    def measure(self, version_id: str, request: ContentRequest) -> int:
        """Return the size in bytes of a part of a version. Call this in a thread: it may read the database and storage.

        Raises:
            VersionUnknown, FileUnknown, LayerMissing: as in `find`.
        """
        version = self.resolve(version_id)
        if request.kind is Kind.CONTENT:
            return self.tables.images.get(version.chain).size
        return _select_part(version, self.tables.installed.get(version.chain), request).body.size

    async def _table(self, tables: SharedLru[Chain, _Table], chain: Chain) -> _Table:
        found = tables.cached(chain)
        if found is None:
            found = await self.threads.run(partial(tables.get, chain))
        return found

    def resolve(self, version_id: str) -> ResolvedVersion:
        """Resolve a version from the database.

        Raises:
            VersionUnknown: no version has this id.
        """
        with self.db.read() as session:
            version = queries.find_version(session, version_id)
            located = queries.find_library_of(session, version.game_id) if version else None
            layers = queries.with_bases(session, version)
        if version is None or located is None:
            raise VersionUnknown
        game, library = located
        files = self.backends.files_of(game, library)
        return ResolvedVersion(
            version_id,
            version.manifest_etag,
            rules.title(game.name, shown_version(version.name, version.label)),
            library.id,
            game.path,
            tuple(VersionRevision.of(layer) for layer in layers),
            tuple(map(files.location, layers)),
        )


def _select_image(version: ResolvedVersion, image: VersionImageBody) -> Downloadable:
    return Downloadable(version, image, rules.image_etag(version.etag), f"{version.title}.image")


def _select_part(version: ResolvedVersion, installed: Installed, request: ContentRequest) -> Downloadable:
    if request.kind is Kind.ARCHIVE:
        etag = f"{version.etag}.{installed.stamp}.zip"
        return Downloadable(version, installed.archive, etag, f"{version.title}.zip")
    file = installed.table.find(request.path)
    if file is None:
        raise FileUnknown
    return Downloadable(version, FileBody(file), file.hash.hex(), file.path.rpartition("/")[2])


class Transfers(Struct, frozen=True):
    """Permits transfers within the limits, and records them."""

    settings: Settings
    limiter: DownloadLimiter
    link_quota: LinkQuota
    recorder: TransferRecorder

    async def admit(self, actor: Actor, version_id: str, length: int) -> TransferPermit:
        """Return a permit to send ``length`` bytes of a version's content, in whatever form.

        Raises:
            TooManyDownloads: the caller or the server has reached its limit of simultaneous downloads.
            LinkUsedUp: the quota of the download link has too few bytes left.
        """
        actor.require(Permission.CONTENT_READ)

        def record(sent: int) -> None:
            # The headers of several ranges are sent too, but are no content.
            self.recorder.add(actor.user.id, version_id, min(sent, length))

        permit = await self.limiter.admit(actor.user.id, rules.limits_of(actor.user, self.settings), record)
        if actor.credential.counted:
            await self._spend(permit, actor.credential.id, length)
        return permit

    def admit_now(self, actor: Actor, version_id: str) -> TransferPermit | None:
        """Return a permit to send bytes of a version, or None if that would require waiting."""
        actor.require(Permission.CONTENT_READ)
        if actor.credential.counted:
            return None
        record = partial(self.recorder.add, actor.user.id, version_id)
        return self.limiter.admit_now(actor.user.id, rules.limits_of(actor.user, self.settings), record)

    async def _spend(self, permit: TransferPermit, link_id: str, length: int) -> None:
        try:
            await self.link_quota.spend(link_id, length)
        except BaseException:
            permit.release()
            raise
        permit.on_release.append(lambda sent: self.link_quota.release(link_id, length - sent))

    def record_by_proxy(self, actor: Actor, version_id: str, length: int) -> None:
        """Record the length that the reverse proxy is going to send; how much it actually sends is unknown."""
        actor.require(Permission.CONTENT_READ)
        self.recorder.add(actor.user.id, version_id, length)

    def limits_anything(self, actor: Actor) -> bool:
        """Return whether the caller's bytes must be counted or limited, so that a reverse proxy must not send them.

        The general limit of simultaneous downloads protects this server only, and does not apply to a proxy.
        """
        actor.require(Permission.CONTENT_READ)
        rate = self.settings.download_rate or rules.limits_of(actor.user, self.settings).rate
        return bool(rate or actor.user.downloads_at_once or actor.credential.counted)

    def limit_status(self, actor: Actor) -> LimitStatus:
        """Return the caller's limits, and the number of their transfers running in this process."""
        actor.require(Permission.CONTENT_READ)
        return self.limiter.status_of(actor.user.id, rules.limits_of(actor.user, self.settings))

    @property
    def server_limit_status(self) -> LimitStatus:
        """The server's limits, and the number of transfers running in this process."""
        return self.limiter.status


class Downloads(Struct, frozen=True):
    """Operations of players on versions and their bytes."""

    db: Database
    encoded_blobs: EncodedBlobs
    resolver: ContentResolver
    patches: Patches
    archives: Archives
    transfers: Transfers
    x_accel: XAccel
    threads: SendingThreads
    unpacking: SendingThreads
    compressing: SendingThreads
    damages: Damages

    def versions(self, actor: Actor, game_id: str) -> Sequence[Version]:
        """Return the versions of a game, oldest first.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            if queries.find_game(session, game_id) is None:
                raise GameUnknown
            return queries.versions_of(session, game_id)

    def version(self, actor: Actor, version_id: str) -> Version:
        """Return a version.

        Raises:
            VersionUnknown: no version has this id.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            found = queries.find_version(session, version_id)
        if found is None:
            raise VersionUnknown
        return found

    async def find(self, actor: Actor, version_id: str, request: ContentRequest) -> Downloadable:
        """Return the requested part of a version. Raises as `ContentResolver.find`."""
        actor.require(Permission.CONTENT_READ)
        return await self.resolver.find(version_id, request)

    def find_cached(
        self, actor: Actor, numbers: Numbers, version_id: str, request: ContentRequest
    ) -> Downloadable | None:
        """Return the requested part of a version if it is cached and current at ``numbers``.

        Raises:
            FileUnknown: the version has no such file.
        """
        actor.require(Permission.CONTENT_READ)
        return self.resolver.find_cached(numbers, version_id, request)

    async def find_patches(self, actor: Actor, set_id: str) -> PatchSetBytes:
        """Return the location and size of a set of patches.

        Raises:
            PatchSetUnknown: no set has this id.
        """
        actor.require(Permission.CONTENT_READ)
        return await to_thread.run_sync(self.patches.bytes_of, actor, set_id)

    async def elsewhere(self, actor: Actor, item: Downloadable, *, by_proxy: bool) -> str | None:
        """Return the path of a file for the reverse proxy, or its short-lived link in S3; None if neither may send it.

        Raises:
            ContentMismatch: the file no longer matches what was imported.
            LocationUnavailable, OSError: it cannot be checked now.
        """
        actor.require(Permission.CONTENT_READ)
        exists = self.x_accel.prefix if by_proxy else item.version.in_s3
        if not exists or not isinstance(item.body, FileBody) or self.transfers.limits_anything(actor):
            return None
        find = partial(self._find_elsewhere, item, item.body.file, by_proxy=by_proxy)
        return await asyncio.get_running_loop().run_in_executor(self.threads_for(item), find)

    def _find_elsewhere(self, item: Downloadable, file: ServedFile, *, by_proxy: bool) -> str | None:
        opener, version = self.opener(item), item.version
        try:
            if not by_proxy:
                return opener.link(file)
            place = version.places[file.image]
            return self.x_accel.redirect_path(file, place, library_id=version.library_id, opener=opener)
        except ContentMismatch as mismatch:
            self.report(item, mismatch)
            raise
        finally:
            opener.release()

    def length(self, version_id: str, kind: str, path: str | None) -> int:
        """Return the size in bytes of a part of a version. Raises as `ContentResolver.measure`."""
        return self.resolver.measure(version_id, ContentRequest(Kind(kind), path or ""))

    def threads_for(self, item: Downloadable) -> Executor:
        """Return the threads that send it. Files in archives and in S3 have separate threads, because they are slow."""
        threads = self.unpacking if item.version.packed else self.threads
        return threads.of(item.version.library_id)

    def compressing_threads_for(self, item: Downloadable) -> Executor:
        """Return the threads that read and compress it."""
        return self.compressing.of(item.version.library_id)

    def opener(self, item: Downloadable) -> VersionOpener:
        """Return an opener of its files."""
        return VersionOpener(item.version.places, self.archives)

    def frames(self, item: Downloadable, *, start: int, end: int | None) -> Iterator[Frame]:
        """Compress a range of an image, frame by frame (`content/frames.py`).

        Raises:
            InvalidInput: the range does not start and end at chunk boundaries.
        """
        assert isinstance(item.body, VersionImageBody)
        end = item.body.size if end is None else end
        try:
            lengths = item.body.chunk_lengths(start, end)
        except ValueError:
            raise InvalidInput([FieldError("start", Message("chunk-boundaries"))]) from None
        return frames(self.blocks(item, start=start, end=end), lengths)

    def blocks(self, item: Downloadable, *, start: int, end: int) -> Iterator[bytes]:
        """Read a range of a body, a block at a time."""
        try:
            yield from read_blocks(item.body.pieces(start, end), self.opener(item))
        except ContentMismatch as mismatch:
            self.report(item, mismatch)
            raise

    def report(self, item: Downloadable, mismatch: ContentMismatch) -> None:
        """Record that a file no longer matches what was imported."""
        version = item.version
        revision = version.chain[mismatch.file.image]
        seen = VerifiedLocation(revision.record_name, version.library_id, version.path)
        self.damages.report(revision.version_id, mismatch.file.path, mismatch.fault, seen=seen)

    def manifest(self, version: Version, encoding: ContentEncoding) -> Iterator[bytes]:
        """Return a version's manifest in a content encoding, in pieces.

        Raises:
            ManifestMissing: it is missing from the storage.
        """
        try:
            return self.encoded_blobs.open(manifest_key(VersionRevision.of(version)), encoding)
        except NoSuchBlob:
            raise ManifestMissing from None
