"""Finding what is wanted of versions, and keeping what that takes in memory."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition
from typing import Generic, NamedTuple, TypeVar

from anyio import to_thread
from blake3 import blake3
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from playdock.content.bodies import Body, FileBody, ImageBody
from playdock.content.file_table import FileTable
from playdock.content.zip_layout import ZipBody
from playdock.db.database import Database
from playdock.db.remembering import Remembered
from playdock.features.games import queries
from playdock.features.games.errors import FileUnknown, VersionUnknown
from playdock.features.installations.service import Installations, Revision
from playdock.features.libraries.service import backend_of
from playdock.features.stock import rules
from playdock.features.stock.rules import Kind, Wanted
from playdock.storage.serving import Place
from playdock.storage.trees import is_archive

_MOST_FILES = 500_000

Chain = tuple[Revision, ...]
_Made = TypeVar("_Made")


class Installed(NamedTuple):
    """An installation as it is served: the files of all layers together, and all of it as an archive.

    The archive holds the times of files, which the manifest does not: the ``stamp`` stands for them in its ETag.
    """

    table: FileTable
    archive: ZipBody
    stamp: str


class Kept(Generic[_Made]):
    """What is made of revisions, which never change, and kept until others need the room. Any thread may ask."""

    def __init__(self, make: Callable[[Chain], _Made], *, files_in: Callable[[_Made], int]) -> None:
        weight = LRUCache[object, _Made](_MOST_FILES, getsizeof=lambda made: min(files_in(made), _MOST_FILES))
        self._cache, self._lock = weight, Condition()
        self._get = cached(self._cache, condition=self._lock)(make)

    def get(self, chain: Chain) -> _Made:
        """Give it, and make it if need be; of several who ask at once only one does.

        Raises:
            LayerLost: the records of a version are gone from the storage.
        """
        return self._get(chain)

    def recall(self, chain: Chain) -> _Made | None:
        """Give it if it is there, without waiting for anything."""
        with self._lock:
            return self._cache.get(hashkey(chain))


class Tables:
    """Images and installations that are being fetched."""

    def __init__(self, installations: Installations) -> None:
        self._installations = installations
        self.images = Kept(self._image, files_in=lambda image: len(image.table))
        self.installed = Kept(self._merged, files_in=lambda installed: len(installed.table))

    def _image(self, chain: Chain) -> ImageBody:
        """Read the topmost version's own files."""
        layer = self._installations.stack(chain[-1:]).layers[0]
        return ImageBody.of(layer, image=len(chain) - 1)

    def _merged(self, chain: Chain) -> Installed:
        installation = self._installations.stack(chain).merge()
        table = FileTable.of_installation(installation)
        stamp = blake3(repr(table.mtimes).encode()).hexdigest(length=8)
        return Installed(table, ZipBody(table, installation.links), stamp)


@dataclass(frozen=True, slots=True)
class Stocked:
    """A version: what its layers are called and where they lie, base first, and what it is called itself.

    All of them lie in one library.
    """

    version_id: str
    etag: str
    title: str
    library_id: str
    path: str
    chain: tuple[Revision, ...]
    places: tuple[Place, ...]

    @property
    def packed(self) -> bool:
        """Whether any of it lies in an archive."""
        return any(is_archive(place.path) for place in self.places)


@dataclass(frozen=True, slots=True)
class Item:
    """Something of a version that can be sent."""

    stocked: Stocked
    body: Body
    etag: str
    name: str


@dataclass(frozen=True, slots=True)
class Stock:
    """Finds what is wanted of versions. What everybody fetches is found without waiting for anything."""

    db: Database
    tables: Tables
    memory: Remembered[str, Stocked]

    async def find(self, version_id: str, wanted: Wanted) -> Item:
        """Give what is wanted of a version.

        Raises:
            VersionUnknown, FileUnknown: there is no such thing.
            LayerLost: the records of the version are gone from the storage.
        """
        stocked = self.memory.recall(version_id)
        if stocked is None:
            revision = self.memory.revision
            stocked = await to_thread.run_sync(self.look_up, version_id)
            self.memory.remember(version_id, stocked, revision=revision)
        if wanted.kind is Kind.CONTENT:
            image = await self._kept(self.tables.images, stocked.chain)
            return Item(stocked, image, f"{stocked.etag}.image", f"{stocked.title}.image")
        return _item(stocked, await self._kept(self.tables.installed, stocked.chain), wanted)

    def measure(self, version_id: str, wanted: Wanted) -> int:
        """Give how many bytes something of a version has. It may wait, so it wants a thread.

        Raises:
            VersionUnknown, FileUnknown, LayerLost: as `find` does.
        """
        chain = (stocked := self.look_up(version_id)).chain
        if wanted.kind is Kind.CONTENT:
            return self.tables.images.get(chain).size
        return _item(stocked, self.tables.installed.get(chain), wanted).body.size

    async def _kept(self, kept: Kept[_Made], chain: Chain) -> _Made:
        found = kept.recall(chain)
        if found is None:
            found = await to_thread.run_sync(kept.get, chain)
        return found

    def look_up(self, version_id: str) -> Stocked:
        """Ask the database.

        Raises:
            VersionUnknown: there is no such version.
        """
        with self.db.read() as session:
            version = queries.find_version(session, version_id)
            lying = queries.find_library_of(session, version.game_id) if version else None
            layers = queries.with_bases(session, version)
        if version is None or lying is None:
            raise VersionUnknown
        game, library = lying
        backend = backend_of(library)
        return Stocked(
            version_id,
            version.manifest_etag,
            rules.title(game.name, version.name),
            library.id,
            game.path,
            tuple(Revision.of(layer) for layer in layers),
            tuple(backend.place(game.path, layer.name) for layer in layers),
        )


def _item(stocked: Stocked, installed: Installed, wanted: Wanted) -> Item:
    if wanted.kind is Kind.ARCHIVE:
        return Item(stocked, installed.archive, f"{stocked.etag}.{installed.stamp}.zip", f"{stocked.title}.zip")
    file = installed.table.find(wanted.path)
    if file is None:
        raise FileUnknown
    return Item(stocked, FileBody(file), file.hash.hex(), file.path.rpartition("/")[2])
