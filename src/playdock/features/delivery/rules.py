"""Pure decisions about deliveries: who gets them, and when."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import Enum, IntEnum, StrEnum
from http import HTTPStatus
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from playdock.domain.events.rules import EventType
from playdock.kit.clock import time_of_day
from playdock.settings import Settings
from playdock.stored import StoredDelivery

# More would not be read; the others are in the app.
MAX_LISTED = 20
# The pauses after failed attempts: 1, 2, 4, … minutes, and then 6 hours. Some mail servers reject all messages of
# unknown senders for the first hours (greylisting).
_FIRST_PAUSE = timedelta(minutes=1)
_LONGEST_PAUSE = timedelta(hours=6)
# With these pauses it is given up after one and a half days.
MAX_ATTEMPTS = 14
# What could not be delivered for so long is no news any more.
MAX_AGE = timedelta(days=7)
# Keeps a server that is unreachable, or refuses the password, from being asked each minute.
PAUSE_AFTER_FAILURE = timedelta(minutes=15)
# Soon enough for somebody who did not find the message, and too seldom to annoy the owner of another's address.
PAUSE_BETWEEN_VERIFICATIONS = timedelta(minutes=5)
# A message to confirm an address that is found later may be from another owner of the mailbox.
VERIFICATION_LIFETIME = timedelta(days=7)


class DeliveryChannel(StrEnum):
    """A way to deliver notifications."""

    EMAIL = "email"
    CHAT = "chat"
    PUSH = "push"


def with_unknown(
    channels: Mapping[str, tuple[str, ...]], kept: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """Return the events that each channel delivers, with the kept channels and events that only newer releases know."""
    known = {each.value for each in EventType}
    newer = {name: [each for each in types if each not in known] for name, types in kept.items()}
    return {**kept, **{name: (*types, *newer.get(name, ())) for name, types in channels.items()}}


class ChatMode(StrEnum):
    """Where an administrator lets users have notifications sent."""

    OFF = "off"
    SERVICES = "services"
    ANYWHERE = "anywhere"


def channels_set_up(settings: Settings) -> list[DeliveryChannel]:
    """Return the channels that the settings allow to be used."""
    usable = {
        DeliveryChannel.EMAIL: settings.email,
        DeliveryChannel.CHAT: settings.chat_delivery != ChatMode.OFF,
        # Browsers choose the push service.
        DeliveryChannel.PUSH: True,
    }
    return [channel for channel in DeliveryChannel if usable[channel]]


# What apprise calls services that are always at the same host, and that most people use.
_SERVICES = frozenset({"discord", "tgram", "slack", "pover"})


class ChatMessage(Struct, frozen=True):
    """A message for a chat service: where it is sent, and where users may have messages sent."""

    url: str
    mode: ChatMode
    title: str
    body: str


class ChatStatus(IntEnum):
    """The status of the process that sends a message; any other one is a failure of the process."""

    SENT = 0
    UNUSABLE = 3
    REFUSED = 4


class PushAnswer(Enum):
    """What the answer of a push service means."""

    ACCEPTED = "accepted"
    GONE = "the browser does not want messages any more"
    LATER = "try again"
    REFUSED = "do not try again"


_TEMPORARY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
# RFC 8291, section 3.2.
AUTH_SECRET_BYTES = 16
GONE_STATUS = HTTPStatus.GONE
FORBIDDEN_STATUS = HTTPStatus.FORBIDDEN


class Language(StrEnum):
    """The languages of messages."""

    ENGLISH = "en"
    GERMAN = "de"


class Addressee(Struct, frozen=True):
    """A user to whom something is delivered; ``email`` is empty unless it is verified.

    ``has_browser`` is whether messages can be sent to one of their browsers.
    """

    id: str
    name: str
    email: str
    preferences: StoredDelivery
    has_browser: bool = False


class Item(Struct, frozen=True):
    """A notification in a message, in the language of the addressee, with the path of the page about it."""

    title: str
    description: str
    link: str


class ClaimedMessage(Struct, frozen=True):
    """The message that is delivered next: its id, which each attempt has in common, and which attempt this is."""

    message: str
    attempt: int
    addressee: Addressee


class Letter(Struct, frozen=True):
    """What is sent: some notifications, and how many there are."""

    message: str
    addressee: Addressee
    items: Sequence[Item]
    total: int


def wants(addressee: Addressee, channel: DeliveryChannel, event_type: str) -> bool:
    """Return whether a channel delivers a kind of notification to a user."""
    return reaches(addressee, channel) and event_type in addressee.preferences.channels.get(channel, ())


def reaches(addressee: Addressee, channel: DeliveryChannel) -> bool:
    """Return whether a channel delivers anything to a user."""
    reachable: dict[DeliveryChannel, bool] = {
        DeliveryChannel.EMAIL: bool(addressee.email),
        DeliveryChannel.CHAT: bool(addressee.preferences.chat_url),
        DeliveryChannel.PUSH: addressee.has_browser,
    }
    return reachable[channel] and bool(addressee.preferences.channels.get(channel))


def is_chat_allowed(service: str, mode: ChatMode) -> bool:
    """Return whether users may have notifications sent to a service, by the name that apprise has for it."""
    return mode is ChatMode.ANYWHERE or (mode is ChatMode.SERVICES and service in _SERVICES)


def due_at(preferences: StoredDelivery, now: datetime) -> datetime:
    """Return when a notification of this moment is delivered: at the time of the digest, after quiet hours, or now."""
    if digest := time_of_day(preferences.digest_at):
        return next_time(digest, now, zone_of(preferences))
    return quiet_until(preferences, now) or now


def quiet_until(preferences: StoredDelivery, now: datetime) -> datetime | None:
    """Return the end of the quiet hours, None outside of them. They may include midnight."""
    start, end = time_of_day(preferences.quiet_from), time_of_day(preferences.quiet_until)
    if start is None or end is None or start == end:
        return None
    zone = zone_of(preferences)
    clock = now.astimezone(zone).time()
    quiet = start <= clock < end if start < end else clock >= start or clock < end
    return next_time(end, now, zone) if quiet else None


def next_time(clock: time, now: datetime, zone: tzinfo) -> datetime:
    """Return when a clock of a zone will show a time, which is later than now."""
    today = now.astimezone(zone).date()
    first = datetime.combine(today, clock, zone)
    following = datetime.combine(today + timedelta(days=1), clock, zone)
    # Clocks that are set back show a time a second time that day (PEP 495). Times of one zone are compared by what its
    # clocks show, which is wrong while these are changed.
    times = (each.astimezone(UTC) for each in (first, first.replace(fold=1), following))
    return next(each for each in times if each > now).astimezone(now.tzinfo)


def zone_of(preferences: StoredDelivery) -> tzinfo:
    """Return the time zone of a user; UTC if this machine does not know it."""
    return known_zone(preferences.time_zone) or UTC


def known_zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def pause_after(attempt: int) -> timedelta:
    """Return the pause after an attempt that failed; the first one is 1."""
    pause: timedelta = _FIRST_PAUSE * 2 ** min(attempt - 1, MAX_ATTEMPTS)
    return min(pause, _LONGEST_PAUSE)


def answer_of(status: int | None) -> PushAnswer:
    """Return what the status of a push service means; None is no answer."""
    if status is None or status in _TEMPORARY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return PushAnswer.LATER
    if status in (HTTPStatus.NOT_FOUND, GONE_STATUS):
        return PushAnswer.GONE
    return PushAnswer.ACCEPTED if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES else PushAnswer.REFUSED


def audience_of(url: str) -> str:
    """Return the origin of a URL as browsers write it, without the usual port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.removesuffix(':443')}"
