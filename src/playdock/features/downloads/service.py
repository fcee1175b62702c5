"""Showing versions and opening manifests."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import zstandard

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.downloads.errors import ManifestLost
from playdock.features.downloads.rules import Coding
from playdock.features.games import queries
from playdock.features.games.errors import GameUnknown, VersionUnknown
from playdock.features.installations.service import Installations
from playdock.models import Version
from playdock.storage.blobs import NoSuchBlob

_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Downloads:
    """What players get of games."""

    db: Database
    installations: Installations

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

    def manifest(self, version: Version, coding: Coding) -> Iterator[bytes]:
        """Give a version's manifest piece by piece.

        Raises:
            ManifestLost: it is gone from the storage.
        """
        try:
            stored = self.installations.open_manifest(version.id)
        except NoSuchBlob:
            raise ManifestLost from None
        if coding is Coding.ZSTD:
            return stored
        plain = _unpacked(stored)
        return _gzipped(plain) if coding is Coding.GZIP else plain


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    for piece in pieces:
        yield unpacker.decompress(piece)


def _gzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(level=3, wbits=_GZIP)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
