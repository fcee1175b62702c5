"""``/api/v1/admin/events/stream``: what happens, as server-sent events."""

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.event_streams import rules
from playdock.features.event_streams.errors import EventsGone, TooManyEventStreams
from playdock.features.event_streams.service import EventStreams
from playdock.kit.errors import InvalidInput
from playdock.server.event_stream import MEDIA_TYPE, EventStreamResponse
from playdock.server.routing import AnyRequest, get, secret_of


@get(
    "/api/v1/admin/events/stream",
    requires=Permission.EVENTS_READ,
    raises=[InvalidInput, EventsGone, TooManyEventStreams],
    media_type=MEDIA_TYPE,
    response_type=bytes,
)
async def stream_events(request: AnyRequest, actor: Actor, streams: EventStreams) -> Response[None]:
    """Send what happens as server-sent events, from now on or after the event of the header Last-Event-ID."""
    after = rules.position_of(request.headers.get("last-event-id"))
    stream = await streams.open(actor, secret_of(request), after=after)
    return EventStreamResponse(stream)


ROUTES = (stream_events,)
