"""Decides whether downloads must wait. Pure."""

from datetime import datetime
from enum import StrEnum

from playdock_client.app.app_settings import AppSettings


class Hold(StrEnum):
    """Why downloads wait."""

    PLAYING = "playing"
    HOURS = "hours"


def hold(app: AppSettings, *, playing: bool, now: datetime) -> Hold | None:
    """Return why downloads must wait, if they must."""
    if playing and app.pause_while_playing:
        return Hold.PLAYING
    if app.hours is not None and not app.hours.contains(now.time()):
        return Hold.HOURS
    return None
