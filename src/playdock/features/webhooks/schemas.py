"""Wire types of webhooks."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.events.rules import EventType
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, MessageCode, MessageParameters, Offset, Timestamp
from playdock.models import Webhook, WebhookDelivery

_Url = Annotated[
    str,
    Meta(
        max_length=2048,
        pattern=r"^https?://[^\s]+$(?!\n)",
        description="An address starts with https:// or http:// and has at most 2,048 characters.",
        examples=["https://hooks.example.org/playdock"],
        extra_json_schema={"format": "uri"},
    ),
]
_EventTypes = Annotated[
    list[EventType],
    Meta(max_length=len(EventType), description="The types of events; all if empty.", examples=[["game.added"]]),
]


class WebhookTestData(ResponseBody):
    """The data of a test: the webhook that it was sent to."""

    webhook: Id


class WebhookCreate(RequestBody):
    """A new webhook."""

    url: _Url
    event_types: _EventTypes


class WebhookChanges(RequestBody):
    """The fields to change. Omitted fields are unchanged. What a disabled webhook missed is sent when it is enabled."""

    url: _Url | UnsetType = UNSET
    event_types: _EventTypes | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class WebhookResponse(ResponseBody):
    """A webhook, without its secret."""

    id: Id
    url: _Url
    event_types: _EventTypes
    enabled: Annotated[bool, Meta(examples=[True])]
    created: Timestamp

    @classmethod
    def of(cls, row: Webhook) -> "WebhookResponse":
        known = {each.value for each in EventType}
        return cls(
            id=row.id,
            url=row.url,
            event_types=[EventType(each) for each in row.event_types if each in known],
            enabled=row.enabled,
            created=timestamp(row.created),
        )


class NewWebhook(ResponseBody):
    """A new webhook with the secret of its signatures, which is shown only once."""

    webhook: WebhookResponse
    secret: Annotated[str, Meta(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])]


class DeliveriesQuery(Query):
    """Which deliveries to return."""

    offset: Offset = 0
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class WebhookDeliveryResponse(ResponseBody):
    """A delivery. `due` is null if it is not tried again, `delivered` if it was not accepted.

    `status` is that of the last response; without one, `error` says why.
    """

    id: Id
    event_type: Annotated[str, Meta(examples=["game.added"])]
    occurred: Timestamp
    attempts: Annotated[int, Meta(examples=[1])]
    due: Timestamp | None
    delivered: Timestamp | None
    status: Annotated[int, Meta(examples=[204])] | None
    error: Annotated[str, Meta(examples=["not reachable (ConnectError)"])] | None
    error_code: MessageCode | None
    error_parameters: MessageParameters

    @classmethod
    def of(cls, row: WebhookDelivery) -> "WebhookDeliveryResponse":
        return cls(
            id=row.id,
            event_type=row.event_type,
            occurred=timestamp(row.occurred),
            attempts=row.attempts,
            due=timestamp(row.due) if row.due else None,
            delivered=timestamp(row.delivered) if row.delivered else None,
            status=row.status,
            error=row.error,
            error_code=row.error_code,
            error_parameters=row.error_parameters,
        )


class WebhookDeliveryPage(ResponseBody):
    """Some of the deliveries of a webhook, newest first, and how many there are."""

    deliveries: list[WebhookDeliveryResponse]
    total: Annotated[int, Meta(examples=[12])]
