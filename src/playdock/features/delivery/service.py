"""Planning deliveries, starting the tasks that send them, and what users choose."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from threading import Lock
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.features.delivery import queries, rules
from playdock.features.delivery.errors import ChatUnavailable, EmailUnavailable, MailLinkInvalid, VerificationSent
from playdock.features.delivery.rules import ChatMode, DeliveryChannel, Language, Letter, PushAnswer
from playdock.features.server_profile.service import ServerProfiles
from playdock.fetching.errors import MessageRefused, ServerFault
from playdock.fetching.public_addresses import place_of
from playdock.fetching.web import Fetcher
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.models import DeliveryPreferences, PushSubscription
from playdock.settings import Settings
from playdock.stored import StoredDelivery, TaskArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.new_task import NewTask, Queue

_QUEUES = {
    DeliveryChannel.EMAIL: Queue.DELIVERY,
    DeliveryChannel.CHAT: Queue.CHAT,
    DeliveryChannel.PUSH: Queue.PUSH,
}
TASK_TYPES: Mapping[DeliveryChannel, str] = {channel: f"deliver:{channel}" for channel in DeliveryChannel}
DELIVERING = frozenset(TASK_TYPES.values())
# Somebody waits for the page; a mail server that works responds in two seconds.
_PATIENCE_SECONDS = 10.0


class Written(Struct, frozen=True):
    """A notification that has just been written."""

    id: int
    user_id: str
    event_type: str


class Transport(Protocol):
    """Sends messages through one channel, while it is open."""

    def send(self, letter: Letter) -> None:
        """Send a message. It is sent if this returns.

        Raises:
            ServerFault: nothing can be sent now.
            MessageRefused: this message cannot be sent, or not now.
        """


class PromptMail(Protocol):
    """Sends messages that somebody waits for. Raises as `Transport.send`."""

    def send_verification(self, email: str, link: str, language: str) -> None: ...

    def send_test(self, email: str, language: str) -> None: ...


class DeliveryState(Struct, frozen=True):
    """What reaches a user: their address, whether they have confirmed it, and which channels can be used.

    ``push_key`` is the key that browsers need, and ``is_push_on`` whether messages are sent to the caller's.
    """

    email: str
    is_verified: bool
    is_email_available: bool
    is_chat_available: bool
    push_key: str
    is_push_on: bool


class Deliveries(Struct, frozen=True):
    """Delivers notifications outside of the app."""

    db: Database
    clock: Clock
    settings: Settings
    secret_key: SecretKey
    profiles: ServerProfiles
    notify_runner: Callable[[], None]
    _chat_test: Lock = field(default_factory=Lock)

    def plan(self, session: Session, written: Sequence[Written], *, at: datetime) -> None:
        """Plan the deliveries of notifications, in the transaction that writes them."""
        set_up = rules.channels_set_up(self.settings)
        known = queries.addressees(session, {each.user_id for each in written})
        due = {user_id: rules.due_at(each.preferences, at) for user_id, each in known.items()}
        queries.add(
            session,
            (
                {
                    "notification_id": each.id,
                    "user_id": each.user_id,
                    "channel": channel.value,
                    "created": at,
                    "due": due[each.user_id],
                }
                for each in written
                for channel in set_up
                if each.user_id in known and rules.wants(known[each.user_id], channel, each.event_type)
            ),
        )

    def start_due(self) -> None:
        """Start a task for each channel in which something is due. The runner calls this each minute."""
        now, started = self.clock(), False
        for channel in rules.channels_set_up(self.settings):
            task_type = TASK_TYPES[channel]
            with self.db.read() as session:
                failed = task_queries.any_failed(session, task_type, since=now - rules.PAUSE_AFTER_FAILURE)
                if failed or not queries.any_due(session, channel, at=now):
                    continue
            with self.db.write() as session:
                task_queries.add(session, _task(channel), at=now)
            started = True
        if started:
            self.notify_runner()

    def preferences(self, actor: Actor) -> tuple[StoredDelivery, DeliveryState]:
        """Return how the caller gets notifications."""
        actor.require(Permission.NOTIFICATIONS_READ)
        from playdock.features.delivery import push_encryption

        with self.db.read() as session:
            found = queries.preferences_of(session, actor.user.id)
            push = queries.has_browser(session, actor.credential.id)
        email = actor.user.email
        verified = bool(found and email and found.verified_email == email)
        set_up = rules.channels_set_up(self.settings)
        key = push_encryption.ServerKey(self.secret_key.seed(Purpose.PUSH)).public
        return _decoded(found), DeliveryState(
            email, verified, DeliveryChannel.EMAIL in set_up, DeliveryChannel.CHAT in set_up, key, push
        )

    def change_preferences(self, actor: Actor, preferences: StoredDelivery, *, chat_url: str | None = None) -> None:
        """Change how the caller gets notifications, and apply that to those that wait.

        ``chat_url`` is the URL of a chat service, empty for none; None leaves it as it is.

        Raises:
            InvalidInput: the URL is not valid or not allowed.
        """
        actor.require(Permission.USER_UPDATE)
        encrypted = self._checked_url(chat_url) if chat_url else ""
        with self.db.write() as session:
            kept = _decoded(queries.preferences_of(session, actor.user.id))
            preferences = replace(
                preferences,
                channels=rules.with_unknown(preferences.channels, kept.channels),
                chat_url=kept.chat_url if chat_url is None else encrypted,
            )
            self._put(session, actor.user.id, preferences)
            queries.reschedule(session, actor.user.id, due=rules.due_at(preferences, self.clock()))

    def add_browser(self, actor: Actor, *, endpoint: str, public_key: str, auth_secret: str) -> None:
        """Send messages to the caller's browser from now on, as long as it is signed in.

        Raises:
            InvalidInput: the URL or a key cannot be used.
        """
        actor.require_session()
        from playdock.features.delivery import push_encryption

        if not (endpoint.startswith("https://") and place_of(endpoint)[0]):
            raise InvalidInput([FieldError("endpoint", Message("push-endpoint"))])
        for field_name, is_usable in (
            ("publicKey", push_encryption.is_public_key(public_key)),
            ("authSecret", len(push_encryption.decoded(auth_secret)) == rules.AUTH_SECRET_BYTES),
        ):
            if not is_usable:
                raise InvalidInput([FieldError(field_name, Message("push-key"))])
        values = {
            "user_id": actor.user.id,
            "endpoint": self.secret_key.encrypt(endpoint, Purpose.PUSH),
            "public_key": public_key,
            "auth_secret": self.secret_key.encrypt(auth_secret, Purpose.PUSH),
            "created": self.clock(),
            "delivered": None,
        }
        with self.db.write() as session:
            queries.put_browser(session, actor.credential.id, values)

    def remove_browser(self, actor: Actor) -> None:
        """Send nothing more to the caller's browser."""
        actor.require_session()
        with self.db.write() as session:
            queries.remove_browser(session, actor.credential.id)

    def send_verification(self, actor: Actor, *, address: str, language: Language) -> None:
        """Send the caller a message with a link that confirms the address; ``address`` is the URL it begins with.

        Raises:
            EmailUnavailable: no email can be sent, or not to this address.
            VerificationSent: one was sent a moment ago.
        """
        actor.require(Permission.USER_UPDATE)
        email, now = actor.user.email, self.clock()
        with self.db.write() as session:
            found = queries.preferences_of(session, actor.user.id)
            last = found.verification_sent if found else None
            if last is not None and now - last < rules.PAUSE_BETWEEN_VERIFICATIONS:
                raise VerificationSent
            # Before it is sent, so that requests at the same time do not send several.
            queries.set_verification_sent(session, actor.user.id, at=now)
        token = self.secret_key.encrypt(f"{int(now.timestamp())} {actor.user.id} {email}", Purpose.EMAIL_ADDRESS)
        try:
            with self._mailer(self.settings) as mailer:
                mailer.send_verification(email, f"{address}/auth/email?token={token}", language)
        except BaseException:
            # Otherwise the next request would be told that a message is on its way.
            with self.db.write() as session:
                queries.set_verification_sent(session, actor.user.id, at=None)
            raise

    def verify(self, token: str) -> None:
        """Confirm an address with the token of a link.

        Raises:
            MailLinkInvalid: it is not valid, or the account has another address now.
        """
        opened = (self.secret_key.decrypt(token, Purpose.EMAIL_ADDRESS) or "").split(" ", 2)
        if not opened[0] or self.clock().timestamp() - int(opened[0]) > rules.VERIFICATION_LIFETIME.total_seconds():
            raise MailLinkInvalid
        with self.db.write() as session:
            if not queries.set_verified(session, opened[1], opened[2]):
                raise MailLinkInvalid

    def unsubscribe(self, token: str) -> None:
        """Stop all email to the user of a link. It may be repeated.

        Raises:
            MailLinkInvalid: the token is not valid.
        """
        user_id = self.secret_key.decrypt(token, Purpose.UNSUBSCRIBE)
        with self.db.write() as session:
            found = queries.preferences_of(session, user_id) if user_id else None
            if found is None or user_id is None:
                raise MailLinkInvalid
            before = _decoded(found)
            others = {name: types for name, types in before.channels.items() if name != DeliveryChannel.EMAIL}
            self._put(session, user_id, replace(before, channels=others))

    def send_test(self, actor: Actor, settings: Settings, *, language: Language) -> None:
        """Send the caller a message with settings that need not be saved.

        Raises:
            EmailUnavailable: it cannot be sent.
        """
        actor.require(Permission.SETTINGS_UPDATE)
        with self._mailer(settings) as mailer:
            mailer.send_test(actor.user.email, language)

    def send_chat_test(self, actor: Actor, chat_url: str | None) -> None:
        """Send a message to a URL of a chat service, or to the caller's own.

        Raises:
            InvalidInput: the URL is not valid or not allowed, or the caller has none.
            ChatUnavailable: the service does not accept the message, or another test is running.
        """
        actor.require(Permission.USER_UPDATE)
        from playdock.features.delivery.chat import ChatSender

        with self.db.read() as session:
            kept = _decoded(queries.preferences_of(session, actor.user.id)).chat_url
        url = chat_url or self.secret_key.decrypt(kept, Purpose.CHAT_URL) or ""
        self._checked_url(url)
        # Each takes a thread and a process, up to half a minute if the service does not answer.
        if not self._chat_test.acquire(blocking=False):
            raise ChatUnavailable(Message("chat-busy"))
        try:
            ChatSender(self.settings, self.profiles.show().name, self.secret_key).send_test(url)
        except MessageRefused as fault:
            raise ChatUnavailable(fault.reason) from None
        finally:
            self._chat_test.release()

    def open_chat(self) -> AbstractContextManager[Transport]:
        """Return what sends messages about notifications to chat services."""
        from playdock.features.delivery.chat import ChatSender

        return ChatSender(self.settings, self.profiles.show().name, self.secret_key)

    def open_push(self, web: Fetcher) -> AbstractContextManager[Transport]:
        """Return what sends messages about notifications to browsers."""
        from playdock.features.delivery.push import PushSender

        return PushSender(self, self.profiles.show().name, web)

    def browsers_of(self, user_id: str) -> Sequence[PushSubscription]:
        """Return where the browsers of a user receive messages."""
        with self.db.read() as session:
            return queries.browsers_of(session, user_id)

    def note_answer(self, browser: PushSubscription, message: str, answer: PushAnswer) -> None:
        """Record that a browser has a message, or forget one that is gone."""
        if answer is PushAnswer.ACCEPTED:
            with self.db.write() as session:
                queries.set_push_delivered(session, browser.session_id, message)
        if answer is PushAnswer.GONE:
            with self.db.write() as session:
                queries.remove_browser(session, browser.session_id, endpoint=browser.endpoint)

    def _checked_url(self, url: str) -> str:
        """Return the encrypted URL of a chat service if it can be used."""
        from playdock.features.delivery.chat_process import service_of

        if service_of(url, ChatMode(self.settings.chat_delivery)) is None:
            raise InvalidInput([FieldError("chatUrl", Message("chat-url"))])
        return self.secret_key.encrypt(url, Purpose.CHAT_URL)

    def open_email(self) -> AbstractContextManager[Transport]:
        """Return a connection to the mail server, which is opened with the first message."""
        from playdock.features.delivery.mailer import Mailer

        return Mailer(self.settings, self.profiles.show().name, self.secret_key, self.clock)

    @contextmanager
    def _mailer(self, settings: Settings) -> Iterator[PromptMail]:
        """Return what sends a message while somebody waits."""
        from playdock.features.delivery.mailer import Mailer
        from playdock.fetching.smtp import Patience

        if not settings.email:
            raise EmailUnavailable(Message("mail-not-set-up"))
        name, patience = self.profiles.show().name, Patience(_PATIENCE_SECONDS, _PATIENCE_SECONDS)
        try:
            with Mailer(settings, name, self.secret_key, self.clock, patience=patience) as mailer:
                yield mailer
        except (ServerFault, MessageRefused) as fault:
            raise EmailUnavailable(fault.reason) from None

    def _put(self, session: Session, user_id: str, preferences: StoredDelivery) -> None:
        queries.put_preferences(session, user_id, preferences)
        for channel in DeliveryChannel:
            queries.remove_unwanted(session, user_id, channel, wanted=preferences.channels.get(channel, ()))


def _task(channel: DeliveryChannel) -> NewTask:
    return NewTask(
        task_type=TASK_TYPES[channel],
        name=Message(f"deliver-{channel}"),
        subject=TASK_TYPES[channel],
        queue=_QUEUES[channel],
        acls=(Permission.TASK_READ,),
        arguments=TaskArguments(),
    )


def _decoded(found: DeliveryPreferences | None) -> StoredDelivery:
    return stored.decode(found.preferences if found else {}, StoredDelivery)
