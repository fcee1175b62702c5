"""The addresses that redirect browsers to the identity provider and receive them back."""

import re
from functools import partial

from anyio import to_thread
from litestar import MediaType, Response
from litestar.datastructures import Cookie

from playdock.auth.actor import CredentialKind
from playdock.auth.errors import ForeignOrigin, SignInRequired
from playdock.features.openid.rules import FLOW_LIFETIME, SIGN_IN_PAGE, local_path
from playdock.features.openid.schemas import BeginQuery, CallbackQuery
from playdock.features.openid.service import TEST_DONE, OpenId
from playdock.features.sessions.routes import origin_of
from playdock.identity.provider import CALLBACK, ProviderThreads, with_query
from playdock.kit.identifiers import new_secret
from playdock.server.cookies import SIGNED_OUT_HEADERS, expired_cookie, full_name, own_cookie, session_cookie
from playdock.server.origins import is_followed_link, is_foreign_navigation
from playdock.server.pages import page
from playdock.server.routing import AnyRequest, Caller, actor_of, address_of, get, post
from playdock.server.write_threads import WriteThreads
from playdock.settings import Settings

_BROWSER = "playdock_openid"
_SECRET = re.compile(r"browser_[A-Za-z0-9_-]{43}")


@get("/auth/oidc", requires=Caller.ANYBODY)
async def begin(
    request: AnyRequest, query: BeginQuery, openid: OpenId, settings: Settings, threads: ProviderThreads
) -> Response[bytes]:
    """Redirect a browser to the identity provider.

    If another site's page caused the request, redirect to the sign-in page instead, where the user decides: the
    identity provider may sign in a user without asking.
    """
    if not query.test and query.link == "false" and is_followed_link(request.headers, own=settings.origin):
        path = with_query(SIGN_IN_PAGE, {"redirect": local_path(query.redirect)})
        return _redirect(f"{settings.url_path}{path}")
    browser = _browser_of(request, settings) or new_secret("browser")
    start = partial(_begin, request, query, openid, settings, browser=browser)
    address = await to_thread.run_sync(start, limiter=threads)
    return _redirect(address, cookie=own_cookie(_BROWSER, browser, lifetime=FLOW_LIFETIME, settings=settings))


@get(CALLBACK, requires=Caller.ANYBODY)
async def finish(
    request: AnyRequest, query: CallbackQuery, openid: OpenId, settings: Settings, threads: ProviderThreads
) -> Response[bytes]:
    """Handle the redirect from the identity provider."""
    finish_flow = partial(
        openid.finish,
        query,
        browser=_browser_of(request, settings),
        session_id=_session_of(request),
        origin=origin_of(request, settings),
    )
    result = await to_thread.run_sync(finish_flow, limiter=threads)
    if result.opened is None:
        return _redirect(f"{settings.url_path}{result.redirect}")
    opened = session_cookie(result.opened.secret, lifetime=None, settings=settings)
    return _redirect(f"{settings.url_path}{result.redirect}", cookie=opened)


@get(TEST_DONE, requires=Caller.ANYBODY)
async def show_tested() -> Response[str]:
    """Show that a guided test has finished."""
    sentences = ["The command that printed the link now shows what the identity provider reported about you."]
    return page("The test is complete. No one was signed in.", sentences, [])


@post("/auth/signout", requires=Caller.ANYBODY)
async def sign_out(
    request: AnyRequest, openid: OpenId, settings: Settings, write_threads: WriteThreads, threads: ProviderThreads
) -> Response[bytes]:
    """Sign out. The local session ends at once; then redirect to the identity provider's sign-out page, if any."""
    actor = actor_of(request)
    id_token = await write_threads.run(partial(openid.sign_out, actor)) if actor else None
    start_page = f"{settings.url_path}/"
    address = await to_thread.run_sync(openid.farewell, id_token, limiter=threads) if id_token else start_page
    response = _redirect(address, cookie=expired_cookie(settings=settings))
    response.headers.update(SIGNED_OUT_HEADERS)
    return response


PAGES = (begin, finish, show_tested, sign_out)


def _begin(request: AnyRequest, query: BeginQuery, openid: OpenId, settings: Settings, *, browser: str) -> str:
    address = address_of(request)
    if query.test:
        return openid.begin_test(query.test, browser=browser, address=address)
    if query.link == "false":
        recent = query.recent == "true"
        return openid.begin(query.redirect, browser=browser, address=address, recent=recent)
    if is_foreign_navigation(request.headers, own=settings.origin):
        raise ForeignOrigin
    actor = actor_of(request)
    if actor is None:
        raise SignInRequired
    return openid.begin_link(actor, query.redirect, browser=browser, address=address)


def _browser_of(request: AnyRequest, settings: Settings) -> str:
    """Return the secret cookie of this browser, or "". It is reused so that several flows may run in one browser."""
    secret = request.cookies.get(full_name(_BROWSER, settings=settings), "")
    return secret if _SECRET.fullmatch(secret) else ""


def _session_of(request: AnyRequest) -> str | None:
    actor = actor_of(request)
    return actor.credential.id if actor and actor.credential.kind is CredentialKind.SESSION else None


def _redirect(address: str, *, cookie: Cookie | None = None) -> Response[bytes]:
    headers = {"Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(
        b"", status_code=303, media_type=MediaType.TEXT, headers=headers, cookies=[cookie] if cookie else []
    )
