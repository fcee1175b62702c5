"""``/api/v1/user/limits``."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.traffic.schemas import LimitsAnswer
from playdock.features.traffic.service import Traffic
from playdock.http.routing import get


@get("/api/v1/user/limits", needs=Acl.CONTENT_READ)
async def show_limits(actor: Actor, traffic: Traffic) -> LimitsAnswer:
    """Tell how fast, and how many at once, the caller may download, and how many transfers there are."""
    return LimitsAnswer.of(traffic.standing_of(actor), server=traffic.standing)


ROUTES = (show_limits,)
