"""The task that sends events to webhooks."""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from msgspec import Struct

from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import payload
from playdock.features.webhooks import queries, rules
from playdock.features.webhooks.queries import DueDelivery
from playdock.features.webhooks.service import DELIVER
from playdock.fetching.errors import FetchFailed
from playdock.fetching.public_addresses import Resolve, is_public, place_of, resolve
from playdock.fetching.requests import FetchLimits, Request, origin_of
from playdock.fetching.web import Fetcher
from playdock.kit.messages import Message, code_of, parameters_of
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.settings import Settings
from playdock.tasks.context import TaskContext

# They take some milliseconds, for which other writers wait.
_EVENTS_AT_ONCE = 100
# How often is looked for new events, and whether the task must stop, while programs take their time to answer.
_CHECK_SECONDS = 0.5


class Finished(Struct, frozen=True):
    """How many deliveries to one webhook were accepted, and whether its program answered each time."""

    accepted: int
    answered: bool


class DeliverWebhooks(Struct, frozen=True):
    """Makes deliveries of recorded events, and sends what is due, each at least once and always with the same id.

    Each webhook has a thread of its own while something is due, so that a program that does not answer delays only its
    own deliveries. They are sent one after another, and after one without an answer the others wait for the next run.
    """

    settings: Settings
    web: Fetcher
    secret_key: SecretKey
    resolve: Resolve = resolve
    task_type: str = DELIVER

    def run(self, context: TaskContext) -> None:
        with context.checkpoint() as session:
            queries.delete_old(session, before=context.clock() - rules.KEPT)
        threads = ThreadPoolExecutor(rules.MAX_WEBHOOKS, thread_name_prefix="webhooks")
        try:
            sent = self._send_all(context, threads)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
        context.log(Message("webhooks-sent", count=sent))

    def _send_all(self, context: TaskContext, threads: ThreadPoolExecutor) -> int:
        """Send until nothing is due, also of events that have just been recorded, and return how many are accepted."""
        sent, silent = 0, set[str]()
        running: dict[str, Future[Finished]] = {}
        while True:
            context.check()
            for webhook_id in self._due_webhooks(context) - running.keys() - silent:
                running[webhook_id] = threads.submit(self._send_due, context, webhook_id)
            if not running:
                return sent
            wait(running.values(), timeout=_CHECK_SECONDS, return_when=FIRST_COMPLETED)
            for webhook_id in [each for each, future in running.items() if future.done()]:
                finished = running.pop(webhook_id).result()
                sent += finished.accepted
                if not finished.answered:
                    silent.add(webhook_id)

    def _due_webhooks(self, context: TaskContext) -> set[str]:
        """Make deliveries of all events, and return the ids of the webhooks that have some to be sent."""
        while self._any_undispatched(context):
            self._dispatch(context)
        with context.db.read() as session:
            return queries.webhooks_due(session, at=context.clock())

    def _any_undispatched(self, context: TaskContext) -> bool:
        with context.db.read() as session:
            return event_queries.any_undispatched(session)

    def _dispatch(self, context: TaskContext) -> None:
        """Make deliveries of the oldest events."""
        now = context.clock()
        with context.checkpoint() as session:
            events = event_queries.undispatched(session, limit=_EVENTS_AT_ONCE)
            current = event_queries.without_deleted(session, events)
            webhooks = queries.list_all(session)
            rows = [
                rules.delivery(webhook.id, event.event_type, event.data, at=now, occurred=event.created)
                for event in current
                for webhook in webhooks
                if event.created >= webhook.created and rules.wants(webhook.event_types, event.event_type)
            ]
            queries.add_deliveries(session, rows)
            event_queries.set_dispatched(session, [event.id for event in events], at=now)

    def _send_due(self, context: TaskContext, webhook_id: str) -> Finished:
        """Send what is due to one webhook, until nothing is or its program does not answer."""
        accepted, answered = 0, True
        while answered and (due := self._next_due(context, webhook_id)):
            context.check()
            status = self._attempt(context, due)
            answered = status is not None
            accepted += status is not None and rules.is_accepted(status)
        return Finished(accepted, answered)

    def _next_due(self, context: TaskContext, webhook_id: str) -> DueDelivery | None:
        with context.db.read() as session:
            return queries.next_due(session, webhook_id, at=context.clock())

    def _attempt(self, context: TaskContext, each: DueDelivery) -> int | None:
        """Make an attempt, and return the status of the response, None if there was none."""
        result = self._send(context, each)
        now = context.clock()
        accepted = isinstance(result, int) and rules.is_accepted(result)
        attempts = each.delivery.attempts + 1
        error = result if isinstance(result, Message) else None
        values: dict[str, Any] = {
            "attempts": attempts,
            "due": None if accepted else rules.next_attempt(each.delivery.event_type, attempts, now=now),
            "delivered": now if accepted else None,
            "status": result if isinstance(result, int) else None,
            "error": str(error) if error else None,
            "error_code": code_of(error),
            "error_parameters": parameters_of(error),
        }
        with context.checkpoint() as session:
            queries.record_attempt(session, each.delivery.id, values)
        return result if isinstance(result, int) else None

    def _send(self, context: TaskContext, each: DueDelivery) -> int | Message:
        """Send a delivery, and return the status of the response, or why there is none."""
        secret = self.secret_key.decrypt(each.webhook.secret, Purpose.WEBHOOK)
        if secret is None:
            return Message("webhook-secret-lost")
        address = self._address(each.webhook.url)
        if isinstance(address, Message):
            return address
        delivery = each.delivery
        body = payload(delivery.event_type, delivery.occurred, delivery.data)
        headers = rules.headers(delivery.id, body, secret=secret, at=context.clock())
        request = Request(each.webhook.url, method="POST", headers=headers, body=body, address=address)
        origins = frozenset((origin_of(each.webhook.url),))
        limits = FetchLimits(origins, rules.SECONDS, max_bytes=0, follow=False)
        try:
            return self.web.fetch(request, limits).status
        except FetchFailed as failure:
            host, _ = place_of(each.webhook.url)
            return failure.about(host)

    def _address(self, url: str) -> str | Message:
        """Return the address to connect to. It is resolved once: a second answer could be another one."""
        host, port = place_of(url)
        try:
            addresses = self.resolve(host, port)
        except (OSError, UnicodeError):
            return Message("webhook-host-unknown", host=host)
        if not self.settings.webhooks_private_networks:
            addresses = [each for each in addresses if is_public(each)]
        return addresses[0] if addresses else Message("webhook-host-private", host=host)
