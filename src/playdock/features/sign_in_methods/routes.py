"""``/api/v1/auth``, ``/api/v1/admin/auth`` and ``/api/v1/user/mechanism``: sign-in methods."""

from typing import Annotated

from anyio import to_thread
from msgspec import Meta

from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.features.sign_in_methods.errors import LastSignInMethod, SignInMethodUnknown
from playdock.features.sign_in_methods.schemas import SignInMethodResponse, SignInMethodsResponse
from playdock.features.sign_in_methods.service import SignInMethods
from playdock.identity.provider import ProviderThreads
from playdock.server.routing import Caller, delete, get
from playdock.settings import Settings


@get("/api/v1/auth", requires=Caller.ANYBODY)
async def list_mechanisms(settings: Settings) -> list[Annotated[str, Meta(examples=["Simple"])]]:
    """List the enabled sign-in methods."""
    return settings.sign_in_methods


@get("/api/v1/admin/auth", requires=Permission.AUTH_READ)
async def show_mechanisms(
    actor: Actor, sign_in_methods: SignInMethods, threads: ProviderThreads
) -> SignInMethodsResponse:
    """Return the configuration of the enabled sign-in methods."""
    return await to_thread.run_sync(sign_in_methods.configuration, actor, limiter=threads)


@get("/api/v1/user/mechanism", requires=Caller.SESSION)
def list_own_mechanisms(actor: Actor, sign_in_methods: SignInMethods) -> list[SignInMethodResponse]:
    """List your sign-in methods."""
    return [SignInMethodResponse.of(row) for row in sign_in_methods.own(actor)]


@delete(
    "/api/v1/user/mechanism/{kind:str}",
    requires=Caller.SESSION,
    raises=[RecentSignInRequired, SignInMethodUnknown, LastSignInMethod],
)
def remove_own_mechanism(kind: str, actor: Actor, sign_in_methods: SignInMethods) -> None:
    """Remove one of your sign-in methods. The last one cannot be removed."""
    sign_in_methods.remove(actor, kind)


ROUTES = (list_mechanisms, show_mechanisms, list_own_mechanisms, remove_own_mechanism)
