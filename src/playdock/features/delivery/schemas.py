"""How notifications are delivered, on the wire."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from playdock import stored
from playdock.domain.events.rules import EventType
from playdock.features.delivery.rules import DeliveryChannel, Language, known_zone
from playdock.features.delivery.service import DeliveryState
from playdock.features.server_settings.schemas import SettingValues
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

_Clock = Annotated[str, Meta(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9])?$(?!\n)", examples=["22:00"])]
_Zone = Annotated[str, Meta(max_length=64, examples=["Europe/Berlin"])]
_Kinds = Annotated[list[EventType], Meta(max_length=len(EventType), examples=[["game.added"]])]
# Longer than all URLs of services.
_ChatUrl = Annotated[
    str,
    Meta(
        max_length=1024,
        pattern=r"^[^\x00-\x20\x7f]*$(?!\n)",
        description="Enter the URL of a chat service as Apprise describes it, without spaces.",
        examples=["discord://4174216298/JHMHI8qBe7bk2"],
    ),
]
_PushKey = Annotated[
    str,
    Meta(
        max_length=128,
        examples=["BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"],
    ),
]
_Token = Annotated[str, Meta(max_length=1024, examples=["q83vEjRWeJCrze8"])]


class EmailAddressResponse(ResponseBody):
    """Your email address: whether you have confirmed it, and whether the server can send email at all."""

    address: Annotated[str, Meta(examples=["ada@example.org"])]
    is_verified: bool
    is_available: bool


class DeliveryPreferencesResponse(ResponseBody):
    """How you get notifications outside of the app.

    `email` has the kinds that are sent to your address, `chat` those that are sent to your chat service, whose URL is
    not shown, and `push` those that are sent to browsers. `isPushOn` is whether the one that you use is among them;
    `pushKey` is the key with which it subscribes to its push service. Times of day are those of the time zone. Nothing
    is sent from `quietFrom` to `quietUntil`, unless these are empty. With a `digestAt`, everything is sent then, once a
    day.
    """

    email_address: EmailAddressResponse
    email: _Kinds
    is_chat_available: bool
    is_chat_set: bool
    chat: _Kinds
    push: _Kinds
    push_key: _PushKey
    is_push_on: bool
    quiet_from: _Clock
    quiet_until: _Clock
    digest_at: _Clock
    time_zone: _Zone
    language: Language

    @classmethod
    def of(cls, found: stored.StoredDelivery, state: DeliveryState) -> "DeliveryPreferencesResponse":
        return cls(
            email_address=EmailAddressResponse(
                address=state.email, is_verified=state.is_verified, is_available=state.is_email_available
            ),
            email=_kinds(found, DeliveryChannel.EMAIL),
            is_chat_available=state.is_chat_available,
            is_chat_set=bool(found.chat_url),
            chat=_kinds(found, DeliveryChannel.CHAT),
            push=_kinds(found, DeliveryChannel.PUSH),
            push_key=state.push_key,
            is_push_on=state.is_push_on,
            quiet_from=found.quiet_from,
            quiet_until=found.quiet_until,
            digest_at=found.digest_at,
            time_zone=found.time_zone,
            language=Language(found.language),
        )


class DeliveryPreferencesUpdate(RequestBody):
    """How you want to get notifications outside of the app. `chatUrl` and `push` are kept if left out."""

    email: _Kinds
    chat: _Kinds
    quiet_from: _Clock
    quiet_until: _Clock
    digest_at: _Clock
    time_zone: _Zone
    language: Language
    chat_url: _ChatUrl | None = None
    push: _Kinds | None = None

    def stored(self) -> stored.StoredDelivery:
        """Return what is stored.

        Raises:
            InvalidInput: the time zone is unknown, or quiet hours have only a beginning or an end, or both at one time.
        """
        if known_zone(self.time_zone) is None:
            raise InvalidInput([FieldError("timeZone", Message("time-zone-unknown"))])
        if bool(self.quiet_from) != bool(self.quiet_until):
            missing = "quietUntil" if self.quiet_from else "quietFrom"
            raise InvalidInput([FieldError(missing, Message("field-required"))])
        if self.quiet_from and self.quiet_from == self.quiet_until:
            raise InvalidInput([FieldError("quietUntil", Message("quiet-hours-empty"))])
        channels = {DeliveryChannel.EMAIL: self.email, DeliveryChannel.CHAT: self.chat, DeliveryChannel.PUSH: self.push}
        return stored.StoredDelivery(
            channels={name.value: _sorted(kinds) for name, kinds in channels.items() if kinds is not None},
            quiet_from=self.quiet_from,
            quiet_until=self.quiet_until,
            digest_at=self.digest_at,
            time_zone=self.time_zone,
            language=self.language.value,
        )


class BrowserPut(RequestBody):
    """Where your browser receives messages: its `PushSubscription` (W3C Push API), with both keys in base64url."""

    endpoint: Annotated[str, Meta(max_length=2048, examples=["https://push.example.org/send/4f1c"])]
    public_key: _PushKey
    auth_secret: Annotated[str, Meta(max_length=32, examples=["BTBZMqHH6r4Tts7J_aSIgg"])]


class ChatTest(RequestBody):
    """The URL of a chat service; your own if it is left out."""

    chat_url: _ChatUrl | None = None


class VerificationRequest(RequestBody):
    """The language of the message."""

    language: Language


class MailToken(RequestBody):
    """The token of a link in a message."""

    token: _Token


class MailTokenQuery(Query):
    """The token of a link in a message."""

    token: _Token = ""


class EmailTest(RequestBody):
    """Settings that need not be saved yet; saved ones are used for the others. The message is in `language`."""

    values: SettingValues
    language: Language = Language.ENGLISH


def _kinds(found: stored.StoredDelivery, channel: DeliveryChannel) -> list[EventType]:
    known = set(EventType)
    return [EventType(each) for each in found.channels.get(channel, ()) if each in known]


def _sorted(kinds: Sequence[EventType]) -> tuple[str, ...]:
    return tuple(sorted({each.value for each in kinds}))
