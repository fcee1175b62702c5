"""Errors as OAuth tells them, at the addresses that speak OAuth (RFC 6749, section 5.2)."""

from playdock.kit.bodies import Answer

MEDIA_TYPE = "application/json"
_PATHS = "/oauth/"


class OAuthErrorAnswer(Answer, rename="lower"):
    """What went wrong: ``error`` for programs, ``error_description`` for people."""

    error: str
    error_description: str


def speaks_oauth(path: str) -> bool:
    return path.startswith(_PATHS)
