"""Signing in with a password, signing out, and the sessions of the caller and of other users."""

from functools import partial

from litestar import Response
from msgspec import UNSET

from playdock.auth.actor import Actor
from playdock.auth.errors import PasswordQueueFull, RecentSignInRequired
from playdock.auth.known_browsers import cookie_name
from playdock.auth.passwords import PasswordThreads
from playdock.auth.permissions import Permission
from playdock.features.accounts.errors import NoPassword, PasswordSignInDisabled, UserUnknown, WrongPassword
from playdock.features.accounts.rules import normalize
from playdock.features.sessions import rules
from playdock.features.sessions.errors import AccountDisabled, SessionUnknown, WrongCredentials
from playdock.features.sessions.schemas import (
    ConfirmationResponse,
    PasswordConfirmation,
    SessionResponse,
    SignInRequest,
    SignInResponse,
)
from playdock.features.sessions.service import Origin, Sessions
from playdock.kit.clock import timestamp
from playdock.server.cookies import (
    NAME,
    SIGNED_OUT_HEADERS,
    expired_cookie,
    full_name,
    known_browser_cookie,
    session_cookie,
)
from playdock.server.origins import is_sent_by_page
from playdock.server.password_requests import run_password_request
from playdock.server.routing import AnyRequest, Caller, address_of, delete, get, post, secret_of
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts


def origin_of(request: AnyRequest, settings: Settings) -> Origin:
    agent = request.headers.get("user-agent", "").replace("\0", "")
    previous = request.cookies.get(full_name(NAME, settings=settings), "")
    return Origin(address_of(request), agent, previous)


@post(
    "/api/v1/auth/signin/simple",
    requires=Caller.ANYBODY,
    raises=[PasswordSignInDisabled, WrongCredentials, AccountDisabled, TooManyAttempts, PasswordQueueFull],
)
async def sign_in(
    request: AnyRequest, data: SignInRequest, sessions: Sessions, password_threads: PasswordThreads, settings: Settings
) -> Response[SignInResponse]:
    """Sign in with a user name and a password. Sets the session cookie, and returns a bearer token to programs.

    A browser has the cookie, which its pages cannot read, and gets no token. Its previous session ends.
    """
    browser = request.cookies.get(full_name(cookie_name(normalize(data.username)), settings=settings), "")
    attempt = partial(sessions.sign_in, data, origin_of(request, settings), browser=browser)
    signed_in = await run_password_request(request, password_threads, attempt)
    opened = signed_in.session
    lifetime = rules.lifetime(remember_me=True) if data.remember_me else None
    cookies = [
        session_cookie(opened.secret, lifetime=lifetime, settings=settings),
        known_browser_cookie(signed_in.cookie, settings=settings),
    ]
    body = SignInResponse(
        result=True,
        user_id=opened.user_id,
        access_token=UNSET if is_sent_by_page(request.headers) else opened.secret,
        expires=timestamp(opened.expires),
    )
    return Response(body, cookies=cookies)


@post("/api/v1/auth/signout", requires=Caller.SESSION, status=204)
def sign_out(actor: Actor, sessions: Sessions, settings: Settings) -> Response[None]:
    """End the session of this request."""
    sessions.sign_out(actor)
    return Response(None, headers=SIGNED_OUT_HEADERS, cookies=[expired_cookie(settings=settings)])


@post(
    "/api/v1/user/session/confirm",
    requires=Caller.SESSION,
    status=200,
    raises=[PasswordSignInDisabled, NoPassword, WrongPassword, TooManyAttempts, PasswordQueueFull],
)
async def confirm_password(
    request: AnyRequest,
    data: PasswordConfirmation,
    actor: Actor,
    sessions: Sessions,
    password_threads: PasswordThreads,
    *,
    settings: Settings,
) -> Response[ConfirmationResponse]:
    """Confirm your password. For the next 10 minutes, calls that require a recent sign-in accept this session.

    The session gets a new secret: a browser as a cookie, a program that uses a bearer token in the response. The old
    secret is valid for another minute.
    """
    secret = secret_of(request)
    confirm = partial(sessions.confirm, actor, data, secret=secret)
    confirmed = await run_password_request(request, password_threads, confirm)
    has_bearer = request.headers.get("authorization", "").lower().startswith("bearer ")
    cookies = []
    if confirmed.secret and not has_bearer:
        cookies = [session_cookie(confirmed.secret, lifetime=confirmed.lifetime, settings=settings)]
    body = ConfirmationResponse(
        expires=timestamp(confirmed.expires),
        access_token=confirmed.secret if confirmed.secret and has_bearer else UNSET,
    )
    return Response(body, cookies=cookies)


@get("/api/v1/user/session/confirm", requires=Caller.SESSION, status=204, raises=[RecentSignInRequired])
async def check_recent_sign_in(actor: Actor, sessions: Sessions) -> None:
    """Check whether calls that require a recent sign-in accept this session now."""
    sessions.check_recent(actor)


@get("/api/v1/user/session", requires=Caller.SESSION)
def list_sessions(actor: Actor, sessions: Sessions) -> list[SessionResponse]:
    """List your active sessions, last used first."""
    return [SessionResponse.of(row, current=actor.credential.id) for row in sessions.own(actor)]


@delete("/api/v1/user/session", requires=Caller.SESSION)
def end_other_sessions(actor: Actor, sessions: Sessions) -> None:
    """End all your other sessions."""
    sessions.end_others(actor)


@delete("/api/v1/user/session/{session_id:str}", requires=Caller.SESSION, raises=[SessionUnknown])
def end_session(session_id: str, actor: Actor, sessions: Sessions) -> None:
    """End one of your sessions."""
    sessions.end(actor, session_id)


@get("/api/v1/admin/users/{user_id:str}/session", requires=Permission.ADMIN_USER_READ, raises=[UserUnknown])
def list_sessions_of_user(user_id: str, actor: Actor, sessions: Sessions) -> list[SessionResponse]:
    """List a user's active sessions, last used first."""
    return [SessionResponse.of(row, current=actor.credential.id) for row in sessions.of_user(actor, user_id)]


@delete(
    "/api/v1/admin/users/{user_id:str}/session/{session_id:str}",
    requires=Permission.ADMIN_USER_UPDATE,
    raises=[SessionUnknown],
)
def end_session_of_user(user_id: str, session_id: str, actor: Actor, sessions: Sessions) -> None:
    """End one session of a user."""
    sessions.end_one_of_user(actor, user_id, session_id)


@delete("/api/v1/admin/users/{user_id:str}/session", requires=Permission.ADMIN_USER_UPDATE, raises=[UserUnknown])
def end_sessions_of_user(user_id: str, actor: Actor, sessions: Sessions) -> None:
    """End all sessions of a user. Devices stay signed in, and API tokens stay valid."""
    sessions.end_all(actor, user_id)


ROUTES = (
    sign_in,
    sign_out,
    confirm_password,
    check_recent_sign_in,
    list_sessions,
    end_other_sessions,
    end_session,
    list_sessions_of_user,
    end_session_of_user,
    end_sessions_of_user,
)
