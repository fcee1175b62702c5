"""The addresses by which browsers go to the identity provider and come back (decisions 3)."""

import re
from functools import partial

from anyio import CapacityLimiter, to_thread
from litestar import MediaType, Response
from litestar.datastructures import Cookie

from playdock.auth.actor import CredentialKind
from playdock.auth.errors import ForeignOrigin, SignInNeeded
from playdock.features.openid.rules import FLOW_LIFETIME
from playdock.features.openid.schemas import BeginQuery, CallbackQuery
from playdock.features.openid.service import TESTED, OpenId
from playdock.features.sessions.routes import origin_of
from playdock.http.cookies import dead_cookie, full_name, own_cookie, session_cookie
from playdock.http.origins import is_foreign_navigation
from playdock.http.pages import page
from playdock.http.routing import AnyRequest, Caller, actor_of, address_of, get, post
from playdock.identity.provider import CALLBACK
from playdock.kit.secrets import new_secret
from playdock.settings import Settings

_BROWSER = "playdock_openid"
_SECRET = re.compile(r"browser_[A-Za-z0-9_-]{43}")


@get("/auth/oidc", needs=Caller.ANYBODY)
async def begin(
    request: AnyRequest, wish: BeginQuery, openid: OpenId, settings: Settings, provider_threads: CapacityLimiter
) -> Response[bytes]:
    """Send a browser to the identity provider."""
    browser = _browser_of(request, settings) or new_secret("browser")
    begun = partial(_begin, request, wish, openid, settings, browser=browser)
    address = await to_thread.run_sync(begun, limiter=provider_threads)
    return _leading_to(address, cookie=own_cookie(_BROWSER, browser, lifetime=FLOW_LIFETIME, secure=settings.secure))


@get(CALLBACK, needs=Caller.ANYBODY)
async def finish(
    request: AnyRequest, said: CallbackQuery, openid: OpenId, settings: Settings, provider_threads: CapacityLimiter
) -> Response[bytes]:
    """Take back a browser that the identity provider has sent."""
    ended = partial(
        openid.finish,
        said,
        browser=_browser_of(request, settings),
        session_id=_session_of(request),
        origin=origin_of(request),
    )
    arrival = await to_thread.run_sync(ended, limiter=provider_threads)
    if arrival.opened is None:
        return _leading_to(arrival.redirect)
    opened = session_cookie(arrival.opened.secret, lifetime=None, secure=settings.secure)
    return _leading_to(arrival.redirect, cookie=opened)


@get(TESTED, needs=Caller.ANYBODY)
async def show_tested() -> Response[str]:
    """Tell that a guided test is over."""
    sentences = ["The command that gave you the link now shows what the identity provider told about you."]
    return page("The test is over, and nobody was signed in", sentences, [])


@post("/auth/signout", needs=Caller.ANYBODY)
async def sign_out(
    request: AnyRequest, openid: OpenId, settings: Settings, provider_threads: CapacityLimiter
) -> Response[bytes]:
    """Sign out, at the identity provider too if it offers that; here at once, whoever waits for the provider."""
    actor = actor_of(request)
    came_by = await to_thread.run_sync(openid.sign_out, actor) if actor else None
    address = await to_thread.run_sync(openid.farewell, came_by, limiter=provider_threads) if came_by else "/"
    return _leading_to(address, cookie=dead_cookie(secure=settings.secure))


PAGES = (begin, finish, show_tested, sign_out)


def _begin(request: AnyRequest, wish: BeginQuery, openid: OpenId, settings: Settings, *, browser: str) -> str:
    address = address_of(request)
    if wish.test:
        return openid.begin_test(wish.test, browser=browser, address=address)
    if wish.link == "false":
        return openid.begin(wish.redirect, browser=browser, address=address)
    if is_foreign_navigation(request.headers, own=settings.address):
        raise ForeignOrigin
    actor = actor_of(request)
    if actor is None:
        raise SignInNeeded
    return openid.begin_link(actor, wish.redirect, browser=browser, address=address)


def _browser_of(request: AnyRequest, settings: Settings) -> str:
    """Give the secret that this browser got when a flow began, so that several may be under way in it at once."""
    secret = request.cookies.get(full_name(_BROWSER, secure=settings.secure), "")
    return secret if _SECRET.fullmatch(secret) else ""


def _session_of(request: AnyRequest) -> str | None:
    actor = actor_of(request)
    return actor.credential.id if actor and actor.credential.kind is CredentialKind.SESSION else None


def _leading_to(address: str, *, cookie: Cookie | None = None) -> Response[bytes]:
    headers = {"Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(
        b"", status_code=303, media_type=MediaType.TEXT, headers=headers, cookies=[cookie] if cookie else []
    )
