"""Libraries in S3: a version is a prefix ``base/game/version/``, or an archive ``base/game/version.zip``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from playdock.kit.storage_failures import StorageFailure
from playdock.storage.backends import NotListed
from playdock.storage.entries import Tree
from playdock.storage.library_policy import UNRESTRICTED, LibraryPolicy, LocationUnusable
from playdock.storage.s3_files import S3Base, S3Place, is_s3_archive
from playdock.storage.s3_tree import S3Tree
from playdock.storage.trees import open_tree


class S3Library(Struct, frozen=True):
    """The library at a part of a bucket. The policy limits its archives; `S3Base` knows where it may be."""

    source: S3Base
    policy: LibraryPolicy = UNRESTRICTED

    def check(self) -> None:
        with _unusable():
            self.source.is_empty()

    def games(self) -> list[str]:
        with _unusable():
            return _shown(self.source.folder("").folders)

    def loose_names(self) -> list[str]:
        with _unusable():
            return _shown(each.key for each in self.source.folder("").objects)

    def versions(self, game: str) -> list[str]:
        if not _is_shown(game) or "/" in game:
            raise NotListed(game)
        with _unusable():
            if self.source.is_empty(game):
                raise NotListed(game)
        return self.versions_of_listed(game)

    def versions_of_listed(self, game: str) -> list[str]:
        with _unusable():
            found = self.source.folder(game)
        archives = (each.key for each in found.objects if is_s3_archive(each.key))
        folders = (each for each in found.folders if not is_s3_archive(each))
        return _shown([*folders, *archives])

    def loose_files(self, game: str) -> Tree | None:
        versions = frozenset(self.versions_of_listed(game))
        return S3Tree(self._at(game), without=versions)

    def open(self, game: str, version: str) -> Tree:
        if version not in self.versions(game):
            raise NotListed(version)
        return self.open_listed(game, version)

    def open_listed(self, game: str, version: str) -> Tree:
        place = self.location(game, version)
        with _unusable():
            if place.is_archive:
                return open_tree(place)
            if self.source.is_empty(place.name):
                raise NotListed(version)
        return S3Tree(place)

    def location(self, game: str, version: str) -> S3Place:
        return self._at(f"{game}/{version}")

    def _at(self, name: str) -> S3Place:
        return S3Place(Path(self.source.url), name, self.policy, source=self.source)


def _shown(keys: "Iterator[str] | list[str] | tuple[str, ...]") -> list[str]:
    """Return the last parts of keys that are not hidden, sorted."""
    return sorted(name for key in keys if _is_shown(name := key.rpartition("/")[2]))


def _is_shown(name: str) -> bool:
    return bool(name) and not name.startswith(".")


@contextmanager
def _unusable() -> Iterator[None]:
    """Report a server or a bucket that cannot be used as a library that cannot be used."""
    try:
        yield
    except StorageFailure as failure:
        raise LocationUnusable(failure.message) from failure
