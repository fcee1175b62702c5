"""Showing versions, opening manifests, and finding the bytes of games."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from anyio import to_thread

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.bodies import FileBody, ImageBody
from playdock.content.frames import frames
from playdock.db.database import Database
from playdock.features.damage.queries import Seen
from playdock.features.damage.service import Damages
from playdock.features.downloads.errors import ManifestLost
from playdock.features.games import queries
from playdock.features.games.errors import GameUnknown, VersionUnknown
from playdock.features.installations.service import Installations, Revision
from playdock.features.patches.service import Patches, SetBytes
from playdock.features.stock.rules import Kind, Wanted
from playdock.features.stock.service import Item, Stock
from playdock.features.traffic.service import Traffic
from playdock.kit.errors import Fault, InvalidInput
from playdock.models import Version
from playdock.sending.files import ContentGone
from playdock.sending.threads import SendingThreads
from playdock.sending.transfer import plain
from playdock.storage.archives import Archives
from playdock.storage.blobs import NoSuchBlob
from playdock.storage.front import Front
from playdock.storage.serving import VersionOpener


@dataclass(frozen=True, slots=True)
class Downloads:
    """What players get of games."""

    db: Database
    installations: Installations
    stock: Stock
    patches: Patches
    archives: Archives
    traffic: Traffic
    front: Front
    threads: SendingThreads
    unpacking: SendingThreads
    compressing: Executor
    damages: Damages

    def versions(self, actor: Actor, game_id: str) -> Sequence[Version]:
        """List the versions of a game, oldest first.

        Raises:
            GameUnknown: there is no such game.
        """
        actor.require(Acl.CONTENT_READ)
        with self.db.read() as session:
            if queries.find_game(session, game_id) is None:
                raise GameUnknown
            return queries.versions_of(session, game_id)

    def version(self, actor: Actor, version_id: str) -> Version:
        """Find a version.

        Raises:
            VersionUnknown: there is none.
        """
        actor.require(Acl.CONTENT_READ)
        with self.db.read() as session:
            found = queries.find_version(session, version_id)
        if found is None:
            raise VersionUnknown
        return found

    async def find(self, actor: Actor, version_id: str, wanted: Wanted) -> Item:
        """Find what is wanted of a version.

        Raises:
            VersionUnknown, FileUnknown: there is no such thing.
            LayerLost: the records of the version are gone from the storage.
        """
        actor.require(Acl.CONTENT_READ)
        return await self.stock.find(version_id, wanted)

    async def find_patches(self, actor: Actor, set_id: str) -> SetBytes:
        """Find the bytes of a set of patches.

        Raises:
            PatchSetUnknown: there is no such set any more.
        """
        actor.require(Acl.CONTENT_READ)
        return await to_thread.run_sync(self.patches.bytes_of, actor, set_id)

    async def address_in_front(self, actor: Actor, item: Item) -> str | None:
        """Give where the web server in front has what is wanted, if it is to send it to the caller.

        Raises:
            ContentGone: it is not as it was imported.
            PlaceAway, OSError: it cannot be looked at now.
        """
        actor.require(Acl.CONTENT_READ)
        if not self.front.prefix or self.traffic.limits_anything(actor):
            return None
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads_for(item), self._look_in_front, item)

    def _look_in_front(self, item: Item) -> str | None:
        try:
            if not isinstance(item.body, FileBody):
                return None
            file, stocked = item.body.file, item.stocked
            place = stocked.places[file.image]
            return self.front.address(file, place, library_id=stocked.library_id, opener=self.opener(item))
        except ContentGone as gone:
            self.report(item, gone)
            raise

    def length(self, version_id: str, kind: str, path: str | None) -> int:
        """Give how many bytes something of a version has.

        Raises:
            VersionUnknown, FileUnknown: there is no such thing.
            LayerLost: the records of the version are gone from the storage.
        """
        return self.stock.measure(version_id, Wanted(Kind(kind), path or ""))

    def threads_for(self, item: Item) -> Executor:
        """Give the threads that send an item: what has to be unpacked first must not hold up all the rest."""
        threads = self.unpacking if item.stocked.packed else self.threads
        return threads.of(item.stocked.library_id)

    def opener(self, item: Item) -> VersionOpener:
        """Give what opens the files of an item."""
        return VersionOpener(item.stocked.places, self.archives)

    def frames(self, item: Item, *, start: int, end: int | None) -> Iterator[bytes]:
        """Compress a stretch of an image, frame by frame (`content/frames.py`).

        Raises:
            InvalidInput: the stretch does not begin and end where chunks do.
        """
        assert isinstance(item.body, ImageBody)
        end = item.body.size if end is None else end
        try:
            lengths = item.body.chunk_lengths(start, end)
        except ValueError:
            raise InvalidInput([Fault("start", "A chunk must begin at start and one end at end.")]) from None
        return frames(self._read(item, start=start, end=end), lengths)

    def _read(self, item: Item, *, start: int, end: int) -> Iterator[bytes]:
        try:
            yield from plain(item.body.pieces(start, end), self.opener(item))
        except ContentGone as gone:
            self.report(item, gone)
            raise

    def report(self, item: Item, gone: ContentGone) -> None:
        """Tell that a file was not as it was imported."""
        stocked = item.stocked
        revision = stocked.chain[gone.file.image]
        seen = Seen(revision.record_name, stocked.library_id, stocked.path)
        self.damages.report(revision.version_id, gone.file.path, gone.fault, seen=seen)

    def manifest(self, version: Version) -> Iterator[bytes]:
        """Give a version's manifest as it is stored: compressed by zstd, piece by piece.

        Raises:
            ManifestLost: it is gone from the storage.
        """
        try:
            return self.installations.open_manifest(Revision.of(version))
        except NoSuchBlob:
            raise ManifestLost from None
