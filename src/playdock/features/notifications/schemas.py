"""Wire types of notifications. Those of a notification are Drop's, and more."""

from typing import Annotated

from msgspec import Meta

from playdock import stored
from playdock.content.programs import Platform
from playdock.domain.events.rules import EventType
from playdock.domain.game_metadata.schemas import TagName
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, MessageCode, MessageParameters, Timestamp
from playdock.models import Notification

# More than a person picks, and small enough for a row that is read with each announcement.
_MAX_TAGS = 100
_EVENT_TYPE = Annotated[str, Meta(examples=[EventType.GAME_ADDED.value])]


class NotificationResponse(ResponseBody):
    """A notification.

    `kind` is the type of the events that it is about, and `link` the path of the page about them. `actions` has the
    same link in Drop's form: its label and its path, separated by `|`.
    """

    id: Annotated[str, Meta(examples=["17"])]
    nonce: Annotated[str, Meta(examples=["6f1b:game.added"])]
    user_id: Id
    created: Timestamp
    kind: _EVENT_TYPE
    title: Annotated[str, Meta(examples=["SuperTuxKart is available"])]
    title_code: MessageCode
    title_parameters: MessageParameters
    description: Annotated[str, Meta(examples=["For Linux."])]
    description_code: MessageCode | None
    description_parameters: MessageParameters
    link: Annotated[str, Meta(examples=["/games/3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"])]
    actions: Annotated[list[str], Meta(examples=[["View|/games/3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"]])]
    acls: Annotated[list[str], Meta(description="Always empty.", examples=[[]])]
    read: bool

    @classmethod
    def of(cls, row: Notification) -> "NotificationResponse":
        return cls(
            id=str(row.id),
            nonce=row.nonce,
            user_id=row.user_id,
            created=timestamp(row.created),
            kind=row.event_type,
            title=row.title,
            title_code=row.title_code,
            title_parameters=row.title_parameters,
            description=row.description,
            description_code=row.description_code,
            description_parameters=row.description_parameters,
            link=row.link,
            actions=[f"View|{row.link}"],
            acls=[],
            read=row.read,
        )


class NotificationPreferencesResponse(ResponseBody):
    """What you are notified of: `kinds` are all types of events that concern you.

    The app does not show those in `muted`. In which other ways they are delivered is set on its own.

    Without `platforms` and `tags`, you are notified of all new games.
    """

    platforms: Annotated[list[Platform], Meta(examples=[["Linux"]])]
    tags: list[TagName]
    kinds: Annotated[list[EventType], Meta(examples=[["game.added", "version.added"]])]
    muted: Annotated[list[EventType], Meta(examples=[["version.added"]])]


class NotificationPreferencesUpdate(RequestBody):
    """What you want to be notified of. Of new games, those for one of the platforms that have one of the tags.

    The app does not show the types of events in `muted`.
    """

    platforms: Annotated[list[Platform], Meta(max_length=len(Platform), examples=[["Linux"]])]
    tags: Annotated[list[Annotated[Id, Meta(max_length=64)]], Meta(max_length=_MAX_TAGS, examples=[[]])]
    muted: Annotated[list[EventType], Meta(max_length=len(EventType), examples=[["version.added"]])]

    def stored(self) -> stored.StoredPreferences:
        return stored.StoredPreferences(
            platforms=tuple(sorted({each.value for each in self.platforms})),
            tags=tuple(sorted(set(self.tags))),
            muted=tuple(sorted({each.value for each in self.muted})),
        )
