"""Every statement on pictures of games and what they are used as."""

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from playdock.models import Picture, PictureUse, StoredObject


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
