"""Signing in with a password, signing out, and sessions, the own ones and other people's (decisions 3)."""

from litestar import Response

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.auth.passwords import PasswordLane
from playdock.features.accounts.errors import SimpleOff, UserUnknown
from playdock.features.sessions import rules
from playdock.features.sessions.errors import AccountDisabled, SessionUnknown, WrongCredentials
from playdock.features.sessions.schemas import SessionAnswer, SignInAnswer, SignInDraft
from playdock.features.sessions.service import Origin, Sessions
from playdock.http.cookies import dead_cookie, session_cookie
from playdock.http.routing import AnyRequest, Caller, address_of, delete, get, post
from playdock.kit.clock import timestamp
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts


def origin_of(request: AnyRequest) -> Origin:
    return Origin(address_of(request), request.headers.get("user-agent", "").replace("\0", ""))


@post(
    "/api/v1/auth/signin/simple",
    needs=Caller.ANYBODY,
    raises=[SimpleOff, WrongCredentials, AccountDisabled, TooManyAttempts],
)
async def sign_in(
    request: AnyRequest, draft: SignInDraft, sessions: Sessions, password_lane: PasswordLane, settings: Settings
) -> Response[SignInAnswer]:
    """Sign in with user name and password: answers a bearer token and sets the session cookie."""
    opened = await password_lane.run(sessions.sign_in, draft, origin_of(request))
    lifetime = rules.lifetime(remember_me=True) if draft.remember_me else None
    cookie = session_cookie(opened.secret, lifetime=lifetime, secure=settings.secure)
    answer = SignInAnswer(
        result=True, user_id=opened.user_id, access_token=opened.secret, expires=timestamp(opened.expires)
    )
    return Response(answer, cookies=[cookie])


@post("/api/v1/auth/signout", needs=Caller.SESSION, status=204)
def sign_out(actor: Actor, sessions: Sessions, settings: Settings) -> Response[None]:
    """End the session that this call is made with."""
    sessions.sign_out(actor)
    return Response(None, cookies=[dead_cookie(secure=settings.secure)])


@get("/api/v1/user/session", needs=Caller.SESSION)
def list_sessions(actor: Actor, sessions: Sessions) -> list[SessionAnswer]:
    """List the own living sessions, last used first."""
    return [SessionAnswer.of(row, current=actor.credential.id) for row in sessions.own(actor)]


@delete("/api/v1/user/session", needs=Caller.SESSION)
def end_other_sessions(actor: Actor, sessions: Sessions) -> None:
    """Sign out everywhere else."""
    sessions.end_others(actor)


@delete("/api/v1/user/session/{session_id:str}", needs=Caller.SESSION, raises=[SessionUnknown])
def end_session(session_id: str, actor: Actor, sessions: Sessions) -> None:
    """End one of the own sessions."""
    sessions.end(actor, session_id)


@get("/api/v1/admin/users/{user_id:str}/session", needs=Acl.ADMIN_USER_READ, raises=[UserUnknown])
def list_sessions_of_user(user_id: str, actor: Actor, sessions: Sessions) -> list[SessionAnswer]:
    """List a user's living sessions, last used first."""
    return [SessionAnswer.of(row, current=actor.credential.id) for row in sessions.of_user(actor, user_id)]


@delete("/api/v1/admin/users/{user_id:str}/session", needs=Acl.ADMIN_USER_UPDATE, raises=[UserUnknown])
def end_sessions_of_user(user_id: str, actor: Actor, sessions: Sessions) -> None:
    """Sign a user out everywhere; devices and tokens stay."""
    sessions.end_all(actor, user_id)


ROUTES = (
    sign_in,
    sign_out,
    list_sessions,
    end_other_sessions,
    end_session,
    list_sessions_of_user,
    end_sessions_of_user,
)
