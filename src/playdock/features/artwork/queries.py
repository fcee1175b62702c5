"""Every statement on pictures of games and what they are used as."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock.models import Picture, PictureUse, StoredObject
from playdock.pictures.tints import Tint


def add(session: Session, picture: Picture) -> None:
    session.add(picture)
    session.flush()


def find(session: Session, game_id: str, picture_id: str) -> Picture | None:
    return session.scalar(select(Picture).where(Picture.game_id == game_id, Picture.id == picture_id))


def of_game(session: Session, game_id: str) -> Sequence[Picture]:
    """Give a game's pictures, oldest first."""
    statement = select(Picture).where(Picture.game_id == game_id).order_by(Picture.created, Picture.id)
    return session.scalars(statement).all()


def uses_of_game(session: Session, game_id: str) -> Sequence[PictureUse]:
    """Say what a game's pictures are used as, by role and place."""
    statement = select(PictureUse).where(PictureUse.game_id == game_id)
    return session.scalars(statement.order_by(PictureUse.role, PictureUse.position)).all()


@dataclass(frozen=True, slots=True)
class Shown:
    """The ids of a game's pictures: in each role in their order, and all of them, oldest first."""

    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    everything: Sequence[str] = ()

    def in_role(self, role: str) -> Sequence[str]:
        return self.roles.get(role, ())

    def first(self, role: str) -> str:
        """Give the picture in a role, empty if there is none."""
        return next(iter(self.in_role(role)), "")


def shown(session: Session) -> Mapping[str, Shown]:
    """Give the ids of all games' pictures by game; those without are left out."""
    roles: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    everything: dict[str, list[str]] = defaultdict(list)
    uses = select(PictureUse.game_id, PictureUse.role, PictureUse.picture_id).order_by(PictureUse.position)
    for game_id, role, picture_id in session.execute(uses):
        roles[game_id][role].append(picture_id)
    pictures = select(Picture.game_id, Picture.id).order_by(Picture.created, Picture.id)
    for game_id, picture_id in session.execute(pictures):
        everything[game_id].append(picture_id)
    return {game_id: Shown(roles[game_id], found) for game_id, found in everything.items()}


def untinted(session: Session, *, after: str, most: int) -> Sequence[Picture]:
    """Give some of the pictures that have no tint yet, by their ids, from behind one of them."""
    statement = select(Picture).where(Picture.placeholder.is_(None), Picture.id > after)
    return session.scalars(statement.order_by(Picture.id).limit(most)).all()


def set_tints(session: Session, tints: Mapping[str, Tint]) -> None:
    """Write down the tints of pictures, by their ids; those that are gone meanwhile are passed over."""
    for picture_id, tint in tints.items():
        values = {"placeholder": tint.placeholder, "colour": tint.colour}
        session.execute(update(Picture).where(Picture.id == picture_id).values(values))


def use(session: Session, game_id: str, role: str, picture_ids: Sequence[str]) -> None:
    """Say which pictures a game shows in a role; none empties it."""
    session.execute(delete(PictureUse).where(PictureUse.game_id == game_id, PictureUse.role == role))
    session.add_all(
        PictureUse(game_id=game_id, role=role, position=position, picture_id=picture_id)
        for position, picture_id in enumerate(picture_ids)
    )
    session.flush()


def unused(session: Session, game_id: str, *, but_from: str) -> Sequence[Picture]:
    """Give a game's pictures that nothing is done with, except for those of one source."""
    is_used = exists().where(PictureUse.picture_id == Picture.id)
    statement = select(Picture).where(Picture.game_id == game_id, Picture.source != but_from, ~is_used)
    return session.scalars(statement).all()


def remove(session: Session, pictures: Iterable[Picture]) -> list[str]:
    """Delete pictures with their objects' rows, and give the ids of the objects, whose bytes are left."""
    gone = list(pictures)
    objects = [rendition["objectId"] for picture in gone for rendition in picture.renditions]
    _remove_all(session, [picture.id for picture in gone], objects)
    return objects


def _remove_all(session: Session, picture_ids: Collection[str], object_ids: Collection[str]) -> None:
    session.execute(delete(PictureUse).where(PictureUse.picture_id.in_(picture_ids)))
    session.execute(delete(Picture).where(Picture.id.in_(picture_ids)))
    session.execute(delete(StoredObject).where(StoredObject.id.in_(object_ids)))
