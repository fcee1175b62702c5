"""Wire types of saved games."""

from typing import Annotated

from msgspec import Meta

from playdock.features.saved_games import rules
from playdock.features.saved_games.queries import ListedSave
from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Bytes, GameTitle, Id, Timestamp

_SHA256 = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"


class SavesQuery(Query):
    """Whose saves to return: those of one game, or of all if omitted."""

    game: Annotated[str, Meta(max_length=64, description="The id of a game.")] | None = None


class SaveUpload(Query):
    """Where an upload belongs."""

    slot: Annotated[int, Meta(ge=0, lt=rules.MAX_SLOTS, description="The number of the slot.")] = 0
    based_on: Annotated[
        str, Meta(max_length=64, description="The id of the save that the device had before; empty without one.")
    ] = ""
    sha256: Annotated[
        str, Meta(max_length=64, description="The SHA-256 of the body in hexadecimal, which is checked if given.")
    ] = ""


class SaveResponse(ResponseBody):
    """A save. `aside` marks one that was kept in a conflict; `device` is null if it was not uploaded by a device."""

    id: Id
    game_id: Id
    game_name: GameTitle
    slot: Annotated[int, Meta(examples=[0])]
    newest: Annotated[bool, Meta(examples=[True])]
    aside: Annotated[bool, Meta(examples=[False])]
    size: Bytes
    sha256: Annotated[str, Meta(examples=[_SHA256])]
    device: Annotated[str, Meta(examples=["Ada's laptop"])] | None
    created: Timestamp

    @classmethod
    def of(cls, found: ListedSave, *, newest: bool) -> "SaveResponse":
        save, slot = found.save, found.slot
        return cls(
            id=save.id,
            game_id=slot.game_id,
            game_name=found.game_name,
            slot=slot.number,
            newest=newest,
            aside=save.aside,
            size=save.size,
            sha256=save.checksum,
            device=save.device or None,
            created=timestamp(save.created),
        )


class SavesResponse(ResponseBody):
    """Saves by game and slot, newest first. `used` and `most` are the bytes of all saves of the user; 0: no limit."""

    saves: list[SaveResponse]
    used: Bytes
    most: Bytes
