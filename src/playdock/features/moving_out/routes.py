"""``/api/v1/user/export``: what belongs to the caller."""

from litestar.response import Stream

from playdock.auth.actor import Actor
from playdock.features.moving_out.service import MovingOut
from playdock.server.routing import Caller, get

_MEDIA_TYPE = "application/zip"


@get("/api/v1/user/export", requires=Caller.SESSION, response_type=bytes, media_type=_MEDIA_TYPE)
def export_own_data(actor: Actor, moving_out: MovingOut) -> Stream:
    """Return what belongs to you as a ZIP archive, in documented files.

    These are your account, collections, play records, saved games, devices, requests for games, and preferences for
    notifications.
    """
    headers = {"Content-Disposition": 'attachment; filename="playdock-export.zip"', "Cache-Control": "no-store"}
    return Stream(moving_out.own(actor), media_type=_MEDIA_TYPE, headers=headers)


ROUTES = (export_own_data,)
