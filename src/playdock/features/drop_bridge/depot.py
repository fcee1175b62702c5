"""Versions, manifests and encrypted chunks for clients of Drop 0.4."""

import asyncio
from collections.abc import Callable, Iterable, Iterator

import msgspec
from anyio import to_thread
from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.bodies import SpansBody
from playdock.content.frames import Frame
from playdock.db.database import Database
from playdock.domain.games import queries as game_queries
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.downloads.service import Downloadable, Downloads, ResolvedVersion
from playdock.features.drop_bridge import queries
from playdock.features.drop_bridge.bundles import Bundles, iv_of, prefix_of, split_chunk_id
from playdock.features.drop_bridge.depot_schemas import DepotListing, DepotVersion, V2Option, V2Size, V2Version
from playdock.features.drop_bridge.errors import (
    DropChunkUnknown,
    DropVersionUnknown,
    InvalidGameOrVersion,
)
from playdock.features.drop_bridge.selections import (
    EncryptedChunk,
    bundle_of,
)
from playdock.features.drop_bridge.service import enqueue_reading
from playdock.features.store.service import Store
from playdock.kit.clock import Clock
from playdock.models import Version
from playdock.sending.files import ContentMismatch
from playdock.stored import DropVersionArguments


class DropDepot(Struct, frozen=True):
    """Versions and encrypted chunks for clients of Drop 0.4."""

    db: Database
    clock: Clock
    store: Store
    downloads: Downloads
    bundles: Bundles
    notify_runner: Callable[[], None]

    def options(self, actor: Actor, game_id: str, previous: str) -> list[V2Option]:
        """Return the versions of a game, newest first, with what is to be downloaded beyond a previous one.

        Begin to compute the checksums of the newest one for each platform, which the client is likely to need.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.CONTENT_READ)
        versions = list(reversed(self.store.page(actor, game_id).versions))
        before = next((each for each in versions if each.id == previous), None)
        self._prepare({each.platform: each for each in reversed(versions)}.values(), before)
        return [self._option(version, before) for version in versions]

    def version(self, actor: Actor, game_id: str, version_id: str) -> V2Version:
        """Return a version.

        Raises:
            DropVersionUnknown: the game has no such version.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            found = queries.find_version(session, game_id, version_id)
        if found is None:
            raise DropVersionUnknown
        return V2Version.of(found)

    def listing(self) -> DepotListing:
        """Return the ids of all versions, which clients read without signing in."""
        with self.db.read() as session:
            found = queries.all_versions(session)
        return DepotListing(
            content={
                game_id: [DepotVersion(version_id=each, compression="none") for each in ids]
                for game_id, ids in found.items()
            }
        )

    async def bundle(self, actor: Actor, game_id: str, name: str, previous: str) -> bytes:
        """Return the manifests of an installation as JSON.

        Raises:
            InvalidGameOrVersion: the game has no such version.
            ContentMismatch, LocationUnavailable, OSError: checksums are needed, and the files cannot be read.
        """
        actor.require(Permission.CONTENT_READ)
        version, before = await to_thread.run_sync(self._pair, game_id, name, previous)
        item = await self.downloads.find(actor, version.id, ContentRequest(Kind.ARCHIVE))
        threads = self.downloads.compressing_threads_for(item)
        return await asyncio.get_running_loop().run_in_executor(threads, self._bundle, version, item, before)

    async def chunk(self, actor: Actor, game_id: str, chunk_id: str) -> EncryptedChunk:
        """Return a chunk of a version of a game.

        Raises:
            DropChunkUnknown: there is none with this id.
        """
        actor.require(Permission.CONTENT_READ)
        prefix, number = split_chunk_id(chunk_id) or (b"", 0)
        version, before = await to_thread.run_sync(self._pair_of_prefix, game_id, prefix)
        item = await self.downloads.find(actor, version.id, ContentRequest(Kind.ARCHIVE))
        previous = await to_thread.run_sync(self._resolved, before)
        if prefix_of(item.version.etag, previous.etag if previous else "") != prefix:
            raise DropChunkUnknown
        packing = await to_thread.run_sync(self.bundles.packing, item.version, previous)
        if number >= len(packing.chunks):
            raise DropChunkUnknown
        chunk = packing.chunks[number]
        body = SpansBody(chunk.spans, chunk.size)
        return EncryptedChunk(msgspec.structs.replace(item, body=body), self.bundles.key(prefix), iv_of(number))

    def frames(self, chunk: EncryptedChunk) -> Iterator[Frame]:
        """Read and encrypt a chunk, block by block."""
        from playdock.features.drop_bridge.cipher import encrypted

        item = chunk.item
        blocks = self.downloads.blocks(item, start=0, end=item.body.size)
        return (Frame(block, len(block)) for block in encrypted(blocks, chunk.key, chunk.iv))

    def _prepare(self, versions: Iterable[Version], before: Version | None) -> None:
        previous = self._resolved(before)
        wanted = [each for each in versions if before is None or each.platform == before.platform]
        missing = [
            each
            for each in wanted
            if (found := self._resolved(each)) and each is not before and not self.bundles.exist(found, previous)
        ]
        if not missing:
            return
        previous_id = before.id if before else None
        with self.db.write() as session:
            for version in missing:
                arguments = DropVersionArguments(version=version.id, packed=True, previous=previous_id)
                enqueue_reading(session, version, arguments, self.clock)
        self.notify_runner()

    def _resolved(self, version: Version | None) -> ResolvedVersion | None:
        return self.downloads.resolver.resolve(version.id) if version else None

    def _option(self, version: Version, before: Version | None) -> V2Option:
        resolved = self._resolved(version)
        assert resolved is not None
        size = self.bundles.packing(resolved, self._resolved(before)).size if before else version.installed_size
        return V2Option(
            game_id=version.game_id,
            version_id=version.id,
            display_name=version.name,
            version_path=version.name,
            platform=version.platform,
            size=V2Size(install_size=version.installed_size, download_size=size),
            required_content=[],
        )

    def _pair(self, game_id: str, name: str, previous: str) -> tuple[Version, Version | None]:
        with self.db.read() as session:
            version = queries.find_version(session, game_id, name)
            before = queries.find_version(session, game_id, previous) if previous else None
        if version is None:
            raise InvalidGameOrVersion
        return version, before

    def _pair_of_prefix(self, game_id: str, prefix: bytes) -> tuple[Version, Version | None]:
        with self.db.read() as session:
            versions = game_queries.versions_of(session, game_id)
        for version in versions:
            for before in (None, *versions):
                if prefix_of(version.manifest_etag, before.manifest_etag if before else "") == prefix:
                    return version, before
        raise DropChunkUnknown

    def _bundle(self, version: Version, item: Downloadable, before: Version | None) -> bytes:
        previous = self._resolved(before)
        try:
            digests = self.bundles.digests(item.version, previous)
        except ContentMismatch as mismatch:
            self.downloads.report(item, mismatch)
            raise
        prefix = prefix_of(item.version.etag, previous.etag if previous else "")
        packing = self.bundles.packing(item.version, previous)
        return msgspec.json.encode(
            bundle_of(version, item, packing, digests, prefix=prefix, key=self.bundles.key(prefix))
        )
