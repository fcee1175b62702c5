"""Managing webhooks, and starting deliveries."""

from collections.abc import Callable, Sequence

from msgspec import UNSET, Struct, structs, to_builtins

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.events import queries as event_queries
from playdock.features.webhooks import queries, rules
from playdock.features.webhooks.errors import TooManyWebhooks, WebhookDeliveryUnknown, WebhookDisabled, WebhookUnknown
from playdock.features.webhooks.schemas import WebhookChanges, WebhookCreate, WebhookTestData
from playdock.fetching.public_addresses import is_private_host, place_of
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.models import Webhook, WebhookDelivery
from playdock.settings import Settings
from playdock.stored import TaskArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.new_task import NewTask, Queue

DELIVER = "deliver:webhooks"


class Webhooks(Struct, frozen=True):
    """Operations on webhooks."""

    db: Database
    clock: Clock
    settings: Settings
    secret_key: SecretKey
    notify_runner: Callable[[], None]

    def list_all(self, actor: Actor) -> Sequence[Webhook]:
        """Return all webhooks, oldest first."""
        actor.require(Permission.WEBHOOK_READ)
        with self.db.read() as session:
            return queries.list_all(session)

    def create(self, actor: Actor, data: WebhookCreate) -> tuple[Webhook, str]:
        """Create a webhook, and return it with its secret.

        Raises:
            TooManyWebhooks: there are too many.
            InvalidInput: the URL cannot be used.
            RecentSignInRequired: the session's user proved their identity too long ago.
        """
        actor.require(Permission.WEBHOOK_UPDATE)
        actor.require_recent_if_session(now=self.clock())
        self._require_usable(data.url)
        secret = rules.new_secret()
        webhook = Webhook(
            id=new_id(),
            url=data.url,
            secret=self.secret_key.encrypt(secret, Purpose.WEBHOOK),
            event_types=sorted({each.value for each in data.event_types}),
            enabled=True,
            created=self.clock(),
        )
        with self.db.write() as session:
            if len(queries.list_all(session)) >= rules.MAX_WEBHOOKS:
                raise TooManyWebhooks
            queries.add(session, webhook)
        return webhook, secret

    def change(self, actor: Actor, webhook_id: str, changes: WebhookChanges) -> Webhook:
        """Change a webhook.

        Raises:
            WebhookUnknown: there is none with this id.
            InvalidInput: the URL cannot be used.
            RecentSignInRequired: the session's user proved their identity too long ago.
        """
        actor.require(Permission.WEBHOOK_UPDATE)
        actor.require_recent_if_session(now=self.clock())
        if changes.url is not UNSET:
            self._require_usable(changes.url)
        given = {name: value for name, value in structs.asdict(changes).items() if value is not UNSET}
        with self.db.write() as session:
            if not queries.change(session, webhook_id, given):
                raise WebhookUnknown
            found = queries.find(session, webhook_id)
        if found is None:
            raise WebhookUnknown
        return found

    def delete(self, actor: Actor, webhook_id: str) -> None:
        """Delete a webhook with its deliveries.

        Raises:
            WebhookUnknown: there is none with this id.
        """
        actor.require(Permission.WEBHOOK_UPDATE)
        with self.db.write() as session:
            if not queries.remove(session, webhook_id):
                raise WebhookUnknown

    def deliveries(
        self, actor: Actor, webhook_id: str, *, offset: int, limit: int
    ) -> tuple[Sequence[WebhookDelivery], int]:
        """Return deliveries of a webhook, newest first, and how many there are.

        Raises:
            WebhookUnknown: there is none with this id.
        """
        actor.require(Permission.WEBHOOK_READ)
        with self.db.read() as session:
            if queries.find(session, webhook_id) is None:
                raise WebhookUnknown
            found = queries.of_webhook(session, webhook_id, offset=offset, limit=limit)
            return found, queries.count_of_webhook(session, webhook_id)

    def send_test(self, actor: Actor, webhook_id: str) -> None:
        """Send a test to a webhook, of whatever types it gets events, unless one is still to be sent.

        Raises:
            WebhookUnknown: there is none with this id.
            WebhookDisabled: it is disabled.
        """
        actor.require(Permission.WEBHOOK_UPDATE)
        with self.db.write() as session:
            webhook = queries.lock(session, webhook_id)
            if webhook is None:
                raise WebhookUnknown
            if not webhook.enabled:
                raise WebhookDisabled
            if not queries.has_due(session, webhook_id, rules.TEST):
                data = to_builtins(WebhookTestData(webhook=webhook_id))
                queries.add_deliveries(session, [rules.delivery(webhook_id, rules.TEST, data, at=self.clock())])
        self.start_due()

    def redeliver(self, actor: Actor, delivery_id: str) -> None:
        """Send a delivery again, whether or not it was accepted.

        Raises:
            WebhookDeliveryUnknown: there is none with this id.
        """
        actor.require(Permission.WEBHOOK_UPDATE)
        with self.db.write() as session:
            if not queries.redeliver(session, delivery_id, at=self.clock()):
                raise WebhookDeliveryUnknown
        self.start_due()

    def _require_usable(self, url: str) -> None:
        """Refuse a URL that no request can reach. The addresses of a name may change, so that they count later."""
        host, _ = place_of(url)
        if not host:
            raise InvalidInput([FieldError("url", Message("webhook-url-unusable"))])
        if is_private_host(host) and not self.settings.webhooks_private_networks:
            raise InvalidInput([FieldError("url", Message("webhook-host-private", host=host))])

    def start_due(self) -> None:
        """Start the task if there are events or deliveries to send. The runner calls this each minute."""
        now = self.clock()
        with self.db.read() as session:
            if not (event_queries.any_undispatched(session) or queries.any_due(session, at=now)):
                return
        with self.db.write() as session:
            task_queries.add(session, _delivering(), at=now)
        self.notify_runner()


def _delivering() -> NewTask:
    return NewTask(
        task_type=DELIVER,
        name=Message("deliver-webhooks"),
        subject=DELIVER,
        queue=Queue.WEBHOOKS,
        acls=(Permission.TASK_READ,),
        arguments=TaskArguments(),
    )
