"""Errors in OAuth's format, for OAuth endpoints (RFC 6749, section 5.2)."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import ResponseBody

MEDIA_TYPE = "application/json"
_PATHS = "/oauth/"


class OAuthErrorResponse(ResponseBody, rename="lower"):
    """An OAuth error: ``error`` is for programs, ``error_description`` for people."""

    error: Annotated[str, Meta(examples=["authorization_pending"])]
    error_description: Annotated[
        str, Meta(examples=["This device has not been authorized yet. Retry after the interval."])
    ]


def is_oauth_path(path: str) -> bool:
    """Return whether a path belongs to an OAuth endpoint."""
    return path.startswith(_PATHS)
