"""Games, collections, versions, manifests and chunks for Drop's clients."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
from anyio import to_thread
from cachetools import LRUCache
from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.layouts import shown_version
from playdock.db.database import Database
from playdock.domain.games import queries as game_queries
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.downloads.service import Downloadable, Downloads
from playdock.features.drop_bridge import queries, rules
from playdock.features.drop_bridge.checksums import ChunkChecksums
from playdock.features.drop_bridge.errors import (
    DropVersionUnknown,
    InvalidDownloadContext,
    InvalidGameOrVersion,
)
from playdock.features.drop_bridge.schemas import ChunkOfFile, DropCollection, DropGame, V1Version
from playdock.features.drop_bridge.selections import (
    ChunkSelection,
    files_of,
    has_links,
    selection,
)
from playdock.features.game_collections.queries import CollectionWithGames
from playdock.features.game_collections.service import Collections
from playdock.features.store.service import Store
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import DropContext, Version
from playdock.sending.files import ContentMismatch
from playdock.stored import DropVersionArguments, drop_version_subject
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

TASK_TYPE = "drop:version"
# More downloads than run at once in a household; others are read from the database with each request.
_MAX_RECENT_CONTEXTS = 256
# Selecting fewer chunks takes less time than passing them to a thread, unless files are looked up behind links.
_MAX_CHUNKS_AT_ONCE = 16


class DropDownloads(Struct, frozen=True):
    """Versions and their bytes, as Drop's clients download them."""

    db: Database
    clock: Clock
    store: Store
    downloads: Downloads
    checksums: ChunkChecksums
    notify_runner: Callable[[], None]
    # The contexts of downloads that are running: nothing changes them but their use, which is recorded regularly.
    recent_contexts: LRUCache[str, DropContext] = field(default_factory=lambda: LRUCache(_MAX_RECENT_CONTEXTS))

    def versions(self, actor: Actor, game_id: str) -> list[V1Version]:
        """Return the versions of a game, newest first, and begin to compute the checksums of those without.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.CONTENT_READ)
        found = list(reversed(self.store.page(actor, game_id).versions))
        self._prepare(found)
        return [V1Version.of(version) for version in found]

    def version(self, actor: Actor, game_id: str, name: str) -> V1Version:
        """Return a version by its name or its id.

        Raises:
            DropVersionUnknown: the game has no such version.
        """
        actor.require(Permission.CONTENT_READ)
        found = self._find(game_id, name)
        if found is None:
            raise DropVersionUnknown
        return V1Version.of(found)

    async def manifest(self, actor: Actor, game_id: str, name: str) -> bytes:
        """Return the manifest of a version as JSON.

        Raises:
            InvalidGameOrVersion: the game has no such version.
            ContentMismatch, LocationUnavailable, OSError: checksums are needed, and the files cannot be read.
        """
        actor.require(Permission.CONTENT_READ)
        version = await to_thread.run_sync(self._require, game_id, name)
        item = await self.downloads.find(actor, version.id, ContentRequest(Kind.ARCHIVE))
        threads = self.downloads.compressing_threads_for(item)
        return await asyncio.get_running_loop().run_in_executor(threads, self._manifest, version, item)

    def begin(self, actor: Actor, game_id: str, name: str) -> str:
        """Return the id of a new context for a version.

        Raises:
            InvalidGameOrVersion: the game has no such version.
        """
        actor.require_device()
        now = self.clock()
        version = self._require(game_id, name)
        context = DropContext(
            id=new_id(),
            device_id=actor.credential.id,
            version_id=version.id,
            manifest_etag=version.manifest_etag,
            used=now,
        )
        with self.db.write() as session:
            queries.delete_unused_contexts(session, before=now - rules.CONTEXT_LIFETIME)
            queries.add_context(session, context)
        return context.id

    async def select(self, actor: Actor, context_id: str, chunks: Sequence[ChunkOfFile]) -> ChunkSelection:
        """Return chunks of the version of a context.

        Raises:
            InvalidDownloadContext: the caller has no such context, or the version has changed since it began.
            UnknownDropFile, InvalidChunkIndex: there is no such chunk.
        """
        actor.require_device()
        context = self._recent_context(actor, context_id)
        if context is None:
            context = await to_thread.run_sync(self._context, actor, context_id)
            self.recent_contexts[context_id] = context
        item = await self.downloads.find(actor, context.version_id, ContentRequest(Kind.ARCHIVE))
        if item.version.etag != context.manifest_etag:
            raise InvalidDownloadContext
        if len(chunks) <= _MAX_CHUNKS_AT_ONCE and not has_links(item):
            return selection(item, chunks)
        return await to_thread.run_sync(selection, item, chunks)

    async def select_one(self, actor: Actor, game_id: str, name: str, chunk: ChunkOfFile) -> ChunkSelection:
        """Return a chunk of a version.

        Raises:
            InvalidGameOrVersion: the game has no such version.
            UnknownDropFile, InvalidChunkIndex: there is no such chunk.
        """
        actor.require(Permission.CONTENT_READ)
        version = await to_thread.run_sync(self._require, game_id, name)
        item = await self.downloads.find(actor, version.id, ContentRequest(Kind.ARCHIVE))
        return await to_thread.run_sync(selection, item, [chunk])

    def _recent_context(self, actor: Actor, context_id: str) -> DropContext | None:
        """Return a context whose use was recorded just now."""
        found = self.recent_contexts.get(context_id)
        is_recent = found and self.clock() - found.used < rules.CONTEXT_NOTED_EVERY
        return found if found and is_recent and found.device_id == actor.credential.id else None

    def _context(self, actor: Actor, context_id: str) -> DropContext:
        now = self.clock()
        after = now - rules.CONTEXT_LIFETIME
        with self.db.read() as session:
            found = queries.find_context(session, context_id, device_id=actor.credential.id, used_after=after)
        if found is None:
            raise InvalidDownloadContext
        if now - found.used >= rules.CONTEXT_NOTED_EVERY:
            self.db.note(lambda session: queries.note_use(session, context_id, at=now))
            found.used = now
        return found

    def _find(self, game_id: str, name: str) -> Version | None:
        with self.db.read() as session:
            return queries.find_version(session, game_id, name)

    def _require(self, game_id: str, name: str) -> Version:
        found = self._find(game_id, name)
        if found is None:
            raise InvalidGameOrVersion
        return found

    def _manifest(self, version: Version, item: Downloadable) -> bytes:
        with self.db.read() as session:
            names = [layer.name for layer in game_queries.with_bases(session, version)]
        try:
            layers = [self.checksums.of_layer(item.version, image) for image in range(len(item.version.chain))]
        except ContentMismatch as mismatch:
            self.downloads.report(item, mismatch)
            raise
        return msgspec.json.encode(files_of(item, version, names, layers))

    def _prepare(self, versions: Sequence[Version]) -> None:
        """Begin to compute the checksums that a client is going to need, at a low priority."""
        missing = [each for each in versions if not self.checksums.exist(self.downloads.resolver.resolve(each.id))]
        if not missing:
            return
        with self.db.write() as session:
            for version in missing:
                enqueue_reading(session, version, DropVersionArguments(version=version.id), self.clock)
        self.notify_runner()


def enqueue_reading(session: Session, version: Version, arguments: DropVersionArguments, clock: Clock) -> None:
    """Let a task compute checksums of a version, unless one does."""
    game = game_queries.find_game(session, version.game_id)
    shown = shown_version(version.name, version.label)
    new_task = NewTask(
        task_type=TASK_TYPE,
        name=Message("read-for-drop", game=game.name if game else "", version=shown),
        subject=drop_version_subject(arguments),
        queue=Queue.LOW,
        acls=(Permission.TASK_READ,),
        arguments=arguments,
    )
    try:
        enqueue(session, new_task, at=clock())
    except TaskAlreadyRunning:
        return


class DropGames(Struct, frozen=True):
    """Games and collections, as Drop's clients show them."""

    db: Database
    store: Store
    collections: Collections

    def game(self, actor: Actor, game_id: str) -> DropGame:
        """Return a game.

        Raises:
            GameUnknown: no game has this id, or it has no version and the caller is a player.
        """
        actor.require(Permission.STORE_READ)
        page = self.store.page(actor, game_id)
        return DropGame.of(page.game, page.pictures)

    def library(self, actor: Actor) -> DropCollection:
        """Return the caller's library."""
        actor.require(Permission.COLLECTIONS_READ)
        return self._shown([self.collections.own_library(actor)])[0]

    def all_collections(self, actor: Actor) -> list[DropCollection]:
        """Return the caller's collections, except the library."""
        actor.require(Permission.COLLECTIONS_READ)
        return self._shown(self.collections.list_all(actor))

    def collection(self, actor: Actor, collection_id: str) -> DropCollection:
        """Return a collection.

        Raises:
            CollectionUnknown: the caller has no collection with this id.
        """
        actor.require(Permission.COLLECTIONS_READ)
        return self._shown([self.collections.find(actor, collection_id)])[0]

    def create_collection(self, actor: Actor, name: str) -> DropCollection:
        """Create a collection.

        Raises:
            TooManyCollections: the caller has the maximum number of collections.
        """
        actor.require(Permission.COLLECTIONS_NEW)
        return self._shown([self.collections.create(actor, name)])[0]

    def add_entry(self, actor: Actor, collection_id: str, game_id: str) -> DropCollection:
        """Add a game to a collection.

        Raises:
            CollectionUnknown, GameUnknown: the collection or the game does not exist.
        """
        actor.require(Permission.COLLECTIONS_ADD)
        return self._shown([self.collections.add_game(actor, collection_id, game_id)])[0]

    def add_to_library(self, actor: Actor, game_id: str) -> DropCollection:
        """Add a game to the library.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.OWN_LIBRARY_ADD)
        return self._shown([self.collections.add_to_library(actor, game_id)])[0]

    def _shown(self, found: Sequence[CollectionWithGames]) -> list[DropCollection]:
        ids = {card.game.id: None for each in found for card, _ in each.cards}
        with self.db.read() as session:
            games = {game_id: DropGame.of(*row) for game_id, row in queries.games(session, list(ids)).items()}
        return [DropCollection.of(each, games) for each in found]
