"""The task that sends what is due."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.features.delivery import queries, rules
from playdock.features.delivery.rules import ClaimedMessage, DeliveryChannel, Item, Letter
from playdock.features.delivery.service import TASK_TYPES, Transport
from playdock.fetching.errors import MessageRefused, ServerFault
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.translations import translated
from playdock.models import Delivery, Notification
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskFailed

# Each takes about 2 ms, while nobody else can write with SQLite.
_MAX_LOOKED_UP = 50


class Deliver(Struct, frozen=True):
    """Sends everything that is due in one channel, a message at a time.

    The attempt is recorded before a message is sent, and the deliveries are deleted when it has been. A process that is
    killed in between repeats the message later, with the same id.
    """

    channel: DeliveryChannel
    open: Callable[[], AbstractContextManager[Transport]]
    # Whether what a notification of a type of event, with a nonce, is about has been done since.
    is_settled: Callable[[Session, str, str], bool]

    @property
    def task_type(self) -> str:
        return TASK_TYPES[self.channel]

    def run(self, context: TaskContext) -> None:
        with context.checkpoint() as session:
            queries.remove_old(session, self.channel, before=context.clock() - rules.MAX_AGE)
        sent = 0
        with self.open() as transport:
            while claim := self._claim_next(context):
                sent += self._send(context, transport, claim)
        context.log(Message("messages-sent", count=sent))

    def _claim_next(self, context: TaskContext) -> ClaimedMessage | None:
        """Return the message to send next, with the attempt recorded; None if nothing is due."""
        while True:
            with context.checkpoint() as session:
                found = queries.next_due(session, self.channel, at=context.clock())
                if found is None:
                    return None
                if claim := self._claim(context, session, found):
                    return claim

    def _claim(self, context: TaskContext, session: Session, found: Delivery) -> ClaimedMessage | None:
        now, channel = context.clock(), self.channel
        addressee = queries.addressees(session, [found.user_id]).get(found.user_id)
        if addressee is None or not rules.reaches(addressee, channel):
            queries.remove_unwanted(session, found.user_id, channel, wanted=())
            return None
        if end := rules.quiet_until(addressee.preferences, now):
            queries.postpone(session, found, due=end)
            return None
        message, attempt = found.message, found.attempts + 1
        if message is None:
            message = new_id()
            queries.make_message(session, found, message, at=now)
        about = queries.subjects_in(session, message, limit=_MAX_LOOKED_UP)
        settled = {number for number, event_type, nonce in about if self.is_settled(session, event_type, nonce)}
        queries.leave_out(session, message, settled)
        if about and len(settled) == len(about):
            return None
        queries.begin_attempt(session, message, due=now + rules.pause_after(attempt))
        return ClaimedMessage(message, attempt, addressee)

    def _send(self, context: TaskContext, transport: Transport, claim: ClaimedMessage) -> bool:
        letter = self._letter(context, claim)
        if not letter.items:
            # Their notifications have just been deleted.
            return False
        try:
            transport.send(letter)
        except MessageRefused as fault:
            self._handle_fault(context, claim, fault)
            return False
        except ServerFault as fault:
            # The message is not to blame: the attempt does not count, and those that are due for longer are sent first.
            with context.db.write() as session:
                queries.take_back(session, claim.message, due=context.clock())
            if fault.temporary:
                raise RetryableFailure("Not delivered", fault.reason) from None
            raise TaskFailed("Not delivered", fault.reason) from None
        # Not under the lease: what has been sent is recorded even if the service is stopping.
        with context.db.write() as session:
            queries.remove_message(session, claim.message)
        return True

    def _handle_fault(self, context: TaskContext, claim: ClaimedMessage, fault: MessageRefused) -> None:
        name = claim.addressee.name
        if fault.temporary and claim.attempt < rules.MAX_ATTEMPTS:
            # From now on, because a server may take many times the first pause to refuse a message.
            with context.checkpoint() as session:
                queries.delay(session, claim.message, due=context.clock() + rules.pause_after(claim.attempt))
            context.log(Message("message-delayed", name=name, reason=fault.reason), level="warn")
            return
        with context.checkpoint() as session:
            queries.remove_message(session, claim.message)
        context.log(Message("message-given-up", name=name, reason=fault.reason), level="error")

    def _letter(self, context: TaskContext, claim: ClaimedMessage) -> Letter:
        with context.db.read() as session:
            found, total = queries.notifications_in(session, claim.message, limit=rules.MAX_LISTED)
        language = claim.addressee.preferences.language
        return Letter(claim.message, claim.addressee, [_item(each, language) for each in found], total)


def _item(row: Notification, language: str) -> Item:
    title = translated(language, text=row.title, code=row.title_code, parameters=row.title_parameters)
    description = translated(
        language, text=row.description, code=row.description_code, parameters=row.description_parameters
    )
    return Item(title, description, row.link)
