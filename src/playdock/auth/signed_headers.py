"""Headers with which Drop's clients authenticate requests, and the paths that accept them."""

from typing import Self

from msgspec import Struct

# The routes of Drop's clients begin with these. Others below /api/v1/client are those of the player's client.
_CLIENT = "/api/v1/client/"
_NAMES = ("auth", "capability", "chunk", "collection", "depots", "game", "news", "object", "playtime", "saves", "user")
_DROP_PATHS = (
    *(f"{_CLIENT}{name}" for name in _NAMES),
    "/api/v2/client/",
    "/api/v1/depot/",
)
# The number of parts of the header after its scheme, in lower case.
_PARTS = {"nonce": 3, "jwt": 2}


class SignedHeader(Struct, frozen=True):
    """A header in its parts: the id of the device, and what proves that the device has sent it."""

    scheme: str
    device_id: str
    proof: tuple[str, ...]

    @classmethod
    def parse(cls, header: str) -> Self | None:
        """Return the parts of an ``Authorization`` header, None if it is not one that a device signs."""
        scheme, *parts = header.split()[:5] or [""]
        if len(parts) != _PARTS.get(scheme.lower()):
            return None
        return cls(scheme.lower(), parts[0], tuple(parts[1:]))


def is_drop_path(path: str) -> bool:
    """Return whether a path belongs to Drop's clients. Errors there have Drop's format."""
    return path.startswith(_DROP_PATHS)
