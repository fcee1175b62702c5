"""All statements on revisions."""

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.domain.games import queries as game_queries
from playdock.domain.installations.service import VersionRevision, chain_of
from playdock.features.version_import import rules
from playdock.models import Game, Library, Version


class VersionInPlace(Struct, frozen=True):
    """A version with its game and library, the revisions below it and the deltas on top of it."""

    game: Game
    library: Library
    version: Version
    below: tuple[VersionRevision, ...]
    above: tuple[Version, ...]

    @property
    def preconditions(self) -> tuple[object, ...]:
        """Return everything a re-import depends on, to compare before it completes."""
        layered = tuple((VersionRevision.of(each), each.launch, each.setup) for each in (self.version, *self.above))
        return self.game.library_id, self.game.path, self.library.options, self.below, layered


class NewRevision(Struct, frozen=True):
    """A new revision of a version: the sizes in bytes of its own files and its installation, its manifest's hash."""

    version: Version
    number: int
    size: int
    installed_size: int
    etag: str

    @property
    def changes(self) -> bool:
        """Whether players get different files."""
        return self.etag != self.version.manifest_etag


def find_version_in_place(session: Session, version_id: str) -> VersionInPlace | None:
    version = game_queries.find_version(session, version_id)
    location = game_queries.find_library_of(session, version.game_id) if version else None
    if version is None or location is None:
        return None
    base = game_queries.find_version(session, version.base_id) if version.base_id else None
    above = tuple(rules.deltas_above(game_queries.versions_of(session, version.game_id), version_id))
    return VersionInPlace(*location, version, chain_of(session, base), above)


def set_revision(session: Session, new: NewRevision) -> None:
    """Make a new revision the current one."""
    values = {
        "revision": new.number,
        "size": new.size,
        "installed_size": new.installed_size,
        "manifest_etag": new.etag,
    }
    game_queries.change_version(session, new.version.id, values)
