"""All statements on the pictures of games and their uses."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock import stored
from playdock.domain.objects import queries as object_queries
from playdock.models import Picture, PictureUse
from playdock.pictures.images import ImagePlaceholder
from playdock.stored import StoredRendition


def add(session: Session, picture: Picture) -> None:
    session.add(picture)
    session.flush()


def find(session: Session, game_id: str, picture_id: str) -> Picture | None:
    return session.scalar(select(Picture).where(Picture.game_id == game_id, Picture.id == picture_id))


def of_game(session: Session, game_id: str) -> Sequence[Picture]:
    """Return a game's pictures, oldest first."""
    statement = select(Picture).where(Picture.game_id == game_id).order_by(Picture.created, Picture.id)
    return session.scalars(statement).all()


def uses_of_game(session: Session, game_id: str) -> Sequence[PictureUse]:
    """Return the uses of a game's pictures, by role and position."""
    statement = select(PictureUse).where(PictureUse.game_id == game_id)
    return session.scalars(statement.order_by(PictureUse.role, PictureUse.position)).all()


def in_role(session: Session, game_id: str, role: str) -> Sequence[str]:
    """Return the ids of the pictures that a game shows in a role, in order."""
    statement = select(PictureUse.picture_id).where(PictureUse.game_id == game_id, PictureUse.role == role)
    return session.scalars(statement.order_by(PictureUse.position)).all()


def find_downloaded(session: Session, game_id: str, address: str) -> Picture | None:
    """Return a game's picture that was downloaded from an address."""
    statement = select(Picture).where(Picture.game_id == game_id, Picture.address == address)
    return session.scalar(statement.order_by(Picture.created, Picture.id).limit(1))


class CardImages(Struct, frozen=True):
    """The ids of a game's pictures: by role, in order, and all of them, oldest first."""

    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    list_all: Sequence[str] = ()

    def in_role(self, role: str) -> Sequence[str]:
        return self.roles.get(role, ())

    def first(self, role: str) -> str:
        """Return the first picture in a role, empty if there is none."""
        return next(iter(self.in_role(role)), "")


def shown(session: Session, game_ids: Collection[str]) -> Mapping[str, CardImages]:
    """Return the pictures of games by game id; games without pictures are omitted."""
    roles: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    list_all: dict[str, list[str]] = defaultdict(list)
    uses = select(PictureUse.game_id, PictureUse.role, PictureUse.picture_id).order_by(PictureUse.position)
    for game_id, role, picture_id in session.execute(uses.where(PictureUse.game_id.in_(game_ids))):
        roles[game_id][role].append(picture_id)
    pictures = select(Picture.game_id, Picture.id).order_by(Picture.created, Picture.id)
    for game_id, picture_id in session.execute(pictures.where(Picture.game_id.in_(game_ids))):
        list_all[game_id].append(picture_id)
    return {game_id: CardImages(roles[game_id], found) for game_id, found in list_all.items()}


def without_placeholder(session: Session, *, after: str, most: int) -> Sequence[Picture]:
    """Return up to ``most`` pictures without a placeholder, by id, starting after an id."""
    statement = select(Picture).where(Picture.placeholder.is_(None), Picture.id > after)
    return session.scalars(statement.order_by(Picture.id).limit(most)).all()


def set_placeholders(session: Session, placeholders: Mapping[str, ImagePlaceholder]) -> None:
    """Save the placeholders of pictures by id; deleted pictures are skipped."""
    for picture_id, placeholder_of in placeholders.items():
        values = {"placeholder": placeholder_of.placeholder, "colour": placeholder_of.color}
        session.execute(update(Picture).where(Picture.id == picture_id).values(values))


def use(session: Session, game_id: str, role: str, picture_ids: Sequence[str]) -> None:
    """Set the pictures that a game shows in a role, in order; an empty list clears the role."""
    session.execute(delete(PictureUse).where(PictureUse.game_id == game_id, PictureUse.role == role))
    session.add_all(
        PictureUse(game_id=game_id, role=role, position=position, picture_id=picture_id)
        for position, picture_id in enumerate(picture_ids)
    )
    session.flush()


def unused(session: Session, game_id: str, *, but_from: str) -> Sequence[Picture]:
    """Return a game's pictures without a use, except those of one source."""
    is_used = exists().where(PictureUse.picture_id == Picture.id)
    statement = select(Picture).where(Picture.game_id == game_id, Picture.source != but_from, ~is_used)
    return session.scalars(statement).all()


def remove(session: Session, pictures: Iterable[Picture]) -> list[str]:
    """Delete pictures and their objects' rows; return the ids of the objects, whose bytes remain in storage."""
    gone = list(pictures)
    objects = objects_of(picture.renditions for picture in gone)
    _remove_all(session, [picture.id for picture in gone], objects)
    return objects


def objects_of(renditions: Iterable[Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return the ids of the objects with the renditions of some pictures."""
    return [each.object_id for of_picture in renditions for each in stored.decode_list(of_picture, StoredRendition)]


def _remove_all(session: Session, picture_ids: Collection[str], object_ids: Collection[str]) -> None:
    session.execute(delete(PictureUse).where(PictureUse.picture_id.in_(picture_ids)))
    session.execute(delete(Picture).where(Picture.id.in_(picture_ids)))
    object_queries.remove_all(session, object_ids)
