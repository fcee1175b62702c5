"""``/api/v1/admin/webhooks``: webhooks and their deliveries."""

from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.features.webhooks.errors import TooManyWebhooks, WebhookDeliveryUnknown, WebhookDisabled, WebhookUnknown
from playdock.features.webhooks.schemas import (
    DeliveriesQuery,
    NewWebhook,
    WebhookChanges,
    WebhookCreate,
    WebhookDeliveryPage,
    WebhookDeliveryResponse,
    WebhookResponse,
)
from playdock.features.webhooks.service import Webhooks
from playdock.server.routing import delete, get, patch, post

_ALL = "/api/v1/admin/webhooks"
_ONE = f"{_ALL}/{{webhook_id:str}}"


@get(_ALL, requires=Permission.WEBHOOK_READ)
def list_webhooks(actor: Actor, webhooks: Webhooks) -> list[WebhookResponse]:
    """List the webhooks, oldest first."""
    return [WebhookResponse.of(each) for each in webhooks.list_all(actor)]


@post(_ALL, requires=Permission.WEBHOOK_UPDATE, status=201, raises=[TooManyWebhooks, RecentSignInRequired])
def create_webhook(data: WebhookCreate, actor: Actor, webhooks: Webhooks) -> NewWebhook:
    """Create a webhook. The secret with which its requests are signed is shown only once."""
    row, secret = webhooks.create(actor, data)
    return NewWebhook(webhook=WebhookResponse.of(row), secret=secret)


@patch(_ONE, requires=Permission.WEBHOOK_UPDATE, raises=[WebhookUnknown, RecentSignInRequired])
def change_webhook(webhook_id: str, data: WebhookChanges, actor: Actor, webhooks: Webhooks) -> WebhookResponse:
    """Change a webhook."""
    return WebhookResponse.of(webhooks.change(actor, webhook_id, data))


@delete(_ONE, requires=Permission.WEBHOOK_UPDATE, raises=[WebhookUnknown])
def delete_webhook(webhook_id: str, actor: Actor, webhooks: Webhooks) -> None:
    """Delete a webhook with its deliveries."""
    webhooks.delete(actor, webhook_id)


@post(f"{_ONE}/test", requires=Permission.WEBHOOK_UPDATE, status=204, raises=[WebhookUnknown, WebhookDisabled])
def send_webhook_test(webhook_id: str, actor: Actor, webhooks: Webhooks) -> None:
    """Send a delivery of type `test`, once. Its result is among the deliveries."""
    webhooks.send_test(actor, webhook_id)


@get(f"{_ONE}/deliveries", requires=Permission.WEBHOOK_READ, raises=[WebhookUnknown])
def list_webhook_deliveries(
    webhook_id: str, query: DeliveriesQuery, actor: Actor, webhooks: Webhooks
) -> WebhookDeliveryPage:
    """List the deliveries of a webhook, newest first. They are kept for 30 days."""
    found, total = webhooks.deliveries(actor, webhook_id, offset=query.offset, limit=query.limit)
    return WebhookDeliveryPage(deliveries=[WebhookDeliveryResponse.of(each) for each in found], total=total)


@post(
    f"{_ALL}/deliveries/{{delivery_id:str}}/redeliver",
    requires=Permission.WEBHOOK_UPDATE,
    status=204,
    raises=[WebhookDeliveryUnknown],
)
def redeliver_webhook(delivery_id: str, actor: Actor, webhooks: Webhooks) -> None:
    """Send a delivery again, with its id."""
    webhooks.redeliver(actor, delivery_id)


ROUTES = (
    list_webhooks,
    create_webhook,
    change_webhook,
    delete_webhook,
    send_webhook_test,
    list_webhook_deliveries,
    redeliver_webhook,
)
