"""What a service answers to a few calls, for comparisons byte by byte."""

import httpx2

from world import Caller

_CALLS = (
    "/api/v1/store",
    "/api/v1/store?q=doo",
    "/api/v1/user",
    "/api/v1/collection",
    "/api/v1/admin/users",
    "/api/v1/admin/games",
    "/api/v1/admin/library/sources",
    "/api/v1/admin/auth/invitation",
    "/api/v1/server",
    "/api/v1/object/{picture}",
    "/api/v1/games/{game}",
    "/api/v1/games/{game}/versions",
    "/api/v1/versions/{version}/manifest",
    "/api/v1/versions/{version}/files/doom.sh",
)


def answers(caller: Caller, **ids: str) -> dict[str, bytes]:
    """Return the bodies of the answers."""
    found = {}
    for call in _CALLS:
        answer: httpx2.Response = caller.get(call.format(**ids))
        assert answer.status_code == 200, (call, answer.text)
        found[call] = answer.content.replace(str(caller.http.base_url).encode(), b"")
    return found
