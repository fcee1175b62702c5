"""All statements on the metadata of games."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, advisory_lock, record_lock
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.queries import CardImages
from playdock.domain.companies import queries as company_queries
from playdock.domain.tags import queries as tag_queries
from playdock.metadata.game_metadata import Role
from playdock.models import Company, Game, GameCompany, GameTag, Picture, PictureUse, Tag, Version

_R = TypeVar("_R", bound=Row[*tuple[Any, ...]])


class GameRecord(Struct, frozen=True):
    """A game with all its metadata."""

    game: Game
    developers: Sequence[Company]
    publishers: Sequence[Company]
    tags: Sequence[Tag]
    pictures: Sequence[Picture]
    uses: Sequence[PictureUse]

    @property
    def shown(self) -> CardImages:
        roles: dict[str, list[str]] = {}
        for use in self.uses:
            roles.setdefault(use.role, []).append(use.picture_id)
        return CardImages(roles, [picture.id for picture in self.pictures])


class ShownTag(NamedTuple):
    """A tag of a game."""

    game_id: str
    kind: str
    name: str


class ShownPicture(NamedTuple):
    """A picture that a game shows in a role; the others are the columns of `Picture`."""

    game_id: str
    role: str
    id: str
    source: str
    address: str
    credit: str
    renditions: list[dict[str, Any]]


class CompleteGame(Struct, frozen=True):
    """A game with what belongs to it, in order; companies with their roles."""

    game: Game
    companies: Sequence[tuple[str, str]]
    tags: Sequence[ShownTag]
    pictures: Sequence[ShownPicture]
    versions: Sequence[Version]

    def companies_as(self, role: str) -> Sequence[str]:
        """Return the names of the companies with a role."""
        return [name for each, name in self.companies if each == role]


def complete(session: Session, ids: Collection[str], *, roles: Collection[Role]) -> dict[str, CompleteGame]:
    """Return games by id with their pictures of some roles, with a fixed number of statements.

    Unknown ids are left out.
    """
    companies = select(GameCompany.game_id, GameCompany.role, Company.name).order_by(GameCompany.position)
    companies = companies.join(Company, Company.id == GameCompany.company_id)
    # Only some columns: reading whole rows of tags and pictures would take most of the time.
    tags = select(GameTag.game_id, Tag.kind, Tag.name).join(Tag, Tag.id == GameTag.tag_id).order_by(GameTag.position)
    picture = (Picture.id, Picture.source, Picture.address, Picture.credit, Picture.renditions)
    pictures = select(PictureUse.game_id, PictureUse.role, *picture).order_by(PictureUse.role, PictureUse.position)
    pictures = pictures.join(Picture, Picture.id == PictureUse.picture_id)
    versions = select(Version.game_id, Version).order_by(Version.position)
    of_companies = _grouped(session.execute(companies.where(GameCompany.game_id.in_(ids))))
    of_tags = _grouped(session.execute(tags.where(GameTag.game_id.in_(ids))))
    of_pictures = _grouped(session.execute(pictures.where(PictureUse.game_id.in_(ids), PictureUse.role.in_(roles))))
    of_versions = _grouped(session.execute(versions.where(Version.game_id.in_(ids))))
    return {
        game.id: CompleteGame(
            game=game,
            companies=[(role, name) for _, role, name in of_companies[game.id]],
            tags=[ShownTag(*row) for row in of_tags[game.id]],
            pictures=[ShownPicture(*row) for row in of_pictures[game.id]],
            versions=[version for _, version in of_versions[game.id]],
        )
        for game in session.scalars(select(Game).where(Game.id.in_(ids)))
    }


def find_entry(session: Session, game_id: str) -> GameRecord | None:
    """Return a game with all its metadata, or None."""
    game = session.get(Game, game_id)
    if game is None:
        return None
    return GameRecord(
        game=game,
        developers=company_queries.of_game(session, game_id, "developer"),
        publishers=company_queries.of_game(session, game_id, "publisher"),
        tags=tag_queries.of_game(session, game_id),
        pictures=artwork_queries.of_game(session, game_id),
        uses=artwork_queries.uses_of_game(session, game_id),
    )


def lock_names(session: Session) -> None:
    """Take the advisory locks of companies and tags until this transaction ends.

    They are taken before any game is locked, because changing a company or a tag locks its games last.
    """
    advisory_lock(session, company_queries.LOCK)
    advisory_lock(session, tag_queries.LOCK)


def lock(session: Session, game_id: str) -> Game | None:
    """Lock and return a game, after taking the advisory locks; None if there is no such game."""
    lock_names(session)
    record_lock(session, LockLevel.GAME, game_id)
    return session.scalar(select(Game).where(Game.id == game_id).with_for_update())


def _grouped(rows: Iterable[_R]) -> Mapping[str, list[_R]]:
    """Return rows by their first column."""
    grouped: defaultdict[str, list[_R]] = defaultdict(list)
    for row in rows:
        grouped[row[0]].append(row)
    return grouped
