"""Statements on revisions."""

from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.orm import Session

from playdock.features.games import queries as game_queries
from playdock.features.installations.service import Revision, chain_of
from playdock.features.reimport import rules
from playdock.models import Game, Library, Version


@dataclass(frozen=True, slots=True)
class Standing:
    """A version where it lies, between the revisions that it goes over and the deltas that go over it."""

    game: Game
    library: Library
    version: Version
    below: tuple[Revision, ...]
    above: tuple[Version, ...]

    @property
    def ground(self) -> tuple[object, ...]:
        """Give all that an import rests on, to see whether it is still the same at its end."""
        layered = tuple((Revision.of(each), each.launch, each.setup) for each in (self.version, *self.above))
        return self.game.library_id, self.game.path, self.library.options, self.below, layered


@dataclass(frozen=True, slots=True)
class Renewal:
    """A version's next revision: the bytes of its own files and of its installation, its manifest's BLAKE3."""

    version: Version
    number: int
    size: int
    installed_size: int
    etag: str

    @property
    def changes(self) -> bool:
        """Whether players get something else."""
        return self.etag != self.version.manifest_etag


def find_standing(session: Session, version_id: str) -> Standing | None:
    version = game_queries.find_version(session, version_id)
    lying = game_queries.find_library_of(session, version.game_id) if version else None
    if version is None or lying is None:
        return None
    base = game_queries.find_version(session, version.base_id) if version.base_id else None
    above = tuple(rules.above(game_queries.versions_of(session, version.game_id), version_id))
    return Standing(*lying, version, chain_of(session, base), above)


def renew(session: Session, renewal: Renewal) -> None:
    """Make a version's next revision the present one."""
    session.execute(
        update(Version)
        .where(Version.id == renewal.version.id)
        .values(
            revision=renewal.number,
            size=renewal.size,
            installed_size=renewal.installed_size,
            manifest_etag=renewal.etag,
        )
    )
