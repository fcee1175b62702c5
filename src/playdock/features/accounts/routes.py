"""``/api/v1/user`` and ``/api/v1/admin/users``."""

from functools import partial

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.errors import PasswordQueueFull, RecentSignInRequired, SessionRequired
from playdock.auth.passwords import PasswordThreads
from playdock.auth.permissions import Permission
from playdock.features.accounts.errors import (
    LastAdmin,
    NoPassword,
    PictureRefused,
    ResetUnknown,
    UserUnknown,
    WrongPassword,
)
from playdock.features.accounts.schemas import (
    AdminChanges,
    OwnChanges,
    PasswordChange,
    PictureForm,
    ResetQuery,
    ResetRequest,
    ResetResponse,
    UserLimitsResponse,
    UserQuery,
    UserResponse,
)
from playdock.features.accounts.service import Accounts
from playdock.pictures.images import MAX_UPLOAD_BYTES
from playdock.server.cookies import known_browser_cookie
from playdock.server.link_address import link_address
from playdock.server.password_requests import run_password_request
from playdock.server.routing import AnyRequest, Caller, actor_of, delete, get, patch, post
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts

# Base64 adds a third. The rest lets a picture that is somewhat too large be rejected with a specific error.
_MAX_BODY_WITH_PICTURE_BYTES = 3 * MAX_UPLOAD_BYTES // 2


@get("/api/v1/user", requires=Caller.ANYBODY)
async def show_own_account(request: AnyRequest) -> UserResponse | None:
    """Return the signed-in user, or null if the request is not authenticated."""
    actor = actor_of(request)
    if actor is None:
        return None
    actor.require(Permission.USER_READ)
    return UserResponse.of(actor.user)


@patch(
    "/api/v1/user",
    requires=Permission.USER_UPDATE,
    raises=[SessionRequired, RecentSignInRequired, PictureRefused],
    processes_images=True,
    max_body_bytes=_MAX_BODY_WITH_PICTURE_BYTES,
)
def change_own_account(changes: OwnChanges, actor: Actor, accounts: Accounts) -> UserResponse:
    """Change your display name, email address or picture. Changing the address requires a recent sign-in."""
    return UserResponse.of(accounts.change_own(actor, changes))


@post("/api/v1/user/picture", requires=Permission.USER_UPDATE, raises=[PictureRefused], processes_images=True)
def upload_own_picture(form: PictureForm, actor: Actor, accounts: Accounts) -> UserResponse:
    """Replace your picture."""
    return UserResponse.of(accounts.change_own(actor, OwnChanges(picture=form.files[0].data)))


@post(
    "/api/v1/user/password",
    requires=Caller.SESSION,
    status=204,
    raises=[WrongPassword, NoPassword, TooManyAttempts, PasswordQueueFull],
)
async def change_own_password(
    request: AnyRequest,
    change: PasswordChange,
    actor: Actor,
    *,
    accounts: Accounts,
    password_threads: PasswordThreads,
    settings: Settings,
) -> Response[None]:
    """Change your password, sign out all your other sessions and, if you ask for it, revoke your API tokens."""
    change_password = partial(accounts.change_password, actor, change)
    cookie = await run_password_request(request, password_threads, change_password)
    return Response(None, cookies=[known_browser_cookie(cookie, settings=settings)])


@get("/api/v1/admin/users", requires=Permission.ADMIN_USER_READ)
def list_users(query: UserQuery, actor: Actor, accounts: Accounts) -> list[UserResponse]:
    """List users by name: all of them, or with the parameters some of them."""
    return [UserResponse.of(user) for user in accounts.listing(actor, query)]


@get("/api/v1/admin/users/{user_id:str}", requires=Permission.ADMIN_USER_READ, raises=[UserUnknown])
def show_user(user_id: str, actor: Actor, accounts: Accounts) -> UserResponse:
    """Return a user."""
    return UserResponse.of(accounts.find(actor, user_id))


@get("/api/v1/admin/users/{user_id:str}/limits", requires=Permission.ADMIN_USER_READ, raises=[UserUnknown])
def show_user_limits(user_id: str, actor: Actor, accounts: Accounts) -> UserLimitsResponse:
    """Return a user's custom download limits."""
    user = accounts.find(actor, user_id)
    return UserLimitsResponse(download_rate=user.download_rate, downloads_at_once=user.downloads_at_once)


@patch(
    "/api/v1/admin/users/{user_id:str}",
    requires=Permission.ADMIN_USER_UPDATE,
    raises=[UserUnknown, RecentSignInRequired, LastAdmin],
)
def change_user(user_id: str, changes: AdminChanges, actor: Actor, accounts: Accounts) -> UserResponse:
    """Change a user: enable or disable, grant or remove the admin role, or set name, email or download limits.

    Granting or removing the role, and changing an administrator, also requires `system:user:admin:update`.
    """
    return UserResponse.of(accounts.change(actor, user_id, changes))


@delete("/api/v1/admin/users/{user_id:str}", requires=Permission.ADMIN_USER_DELETE, raises=[UserUnknown, LastAdmin])
def delete_user(user_id: str, actor: Actor, accounts: Accounts) -> None:
    """Delete a user with all sessions, tokens and the picture. Games are not affected."""
    accounts.delete(actor, user_id)


@post(
    "/api/v1/admin/users/{user_id:str}/reset",
    requires=Permission.ADMIN_USER_UPDATE,
    raises=[UserUnknown, RecentSignInRequired],
)
def create_reset_link(
    request: AnyRequest, user_id: str, actor: Actor, accounts: Accounts, settings: Settings
) -> ResetResponse:
    """Create a link with which the user can set a new password. It works once, within 24 hours.

    A link for an administrator also requires `system:user:admin:update`.
    """
    page = f"/auth/reset?id={accounts.new_reset(actor, user_id)}"
    return ResetResponse(reset_url=f"{link_address(request, settings)}{page}")


@get("/api/v1/auth/reset/simple", requires=Caller.ANYBODY, status=204, raises=[ResetUnknown])
def check_reset_link(query: ResetQuery, accounts: Accounts) -> None:
    """Check whether a reset link is still valid, without using it."""
    accounts.check_reset(query.id)


@post("/api/v1/auth/reset/simple", requires=Caller.ANYBODY, status=204, raises=[ResetUnknown, PasswordQueueFull])
async def reset_password(
    request: AnyRequest, data: ResetRequest, accounts: Accounts, password_threads: PasswordThreads, settings: Settings
) -> Response[None]:
    """Set a new password with a reset link. Signs the user out everywhere, and revokes their API tokens and links."""
    cookie = await run_password_request(request, password_threads, partial(accounts.reset_password, data))
    return Response(None, cookies=[known_browser_cookie(cookie, settings=settings)])


ROUTES = (
    show_own_account,
    change_own_account,
    upload_own_picture,
    change_own_password,
    list_users,
    show_user,
    show_user_limits,
    change_user,
    delete_user,
    create_reset_link,
    check_reset_link,
    reset_password,
)
