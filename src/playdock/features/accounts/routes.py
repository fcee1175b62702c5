"""``/api/v1/user`` and ``/api/v1/admin/users`` (interface 4.1, decisions 4)."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.auth.passwords import PasswordLane
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
    ResetAnswer,
    ResetDraft,
    UserAnswer,
    UserLimitsAnswer,
)
from playdock.features.accounts.service import Accounts
from playdock.http.routing import AnyRequest, Caller, actor_of, delete, get, patch, post
from playdock.pictures.uploads import MOST_BYTES
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts

# A picture grows by a third in base64. One that is somewhat too large still gets a sentence of its own.
_MOST_BYTES_WITH_PICTURE = 2 * MOST_BYTES


@get("/api/v1/user", needs=Caller.ANYBODY)
async def show_own_account(request: AnyRequest) -> UserAnswer | None:
    """Tell who is calling; null if nobody is signed in."""
    actor = actor_of(request)
    if actor is None:
        return None
    actor.require(Acl.USER_READ)
    return UserAnswer.of(actor.person)


@patch("/api/v1/user", needs=Acl.USER_UPDATE, raises=[PictureRefused], most_bytes=_MOST_BYTES_WITH_PICTURE)
def change_own_account(changes: OwnChanges, actor: Actor, accounts: Accounts) -> UserAnswer:
    """Change the own display name, address or picture."""
    return UserAnswer.of(accounts.change_own(actor, changes))


@post(
    "/api/v1/user/password",
    needs=Caller.SESSION,
    status=204,
    raises=[WrongPassword, NoPassword, TooManyAttempts],
)
async def change_own_password(
    change: PasswordChange, actor: Actor, accounts: Accounts, password_lane: PasswordLane
) -> None:
    """Change the own password and sign out everywhere else."""
    await password_lane.run(accounts.change_password, actor, change)


@get("/api/v1/admin/users", needs=Acl.ADMIN_USER_READ)
def list_users(actor: Actor, accounts: Accounts) -> list[UserAnswer]:
    """List all users by name."""
    return [UserAnswer.of(person) for person in accounts.everybody(actor)]


@get("/api/v1/admin/users/{user_id:str}", needs=Acl.ADMIN_USER_READ, raises=[UserUnknown])
def show_user(user_id: str, actor: Actor, accounts: Accounts) -> UserAnswer:
    """Show one user."""
    return UserAnswer.of(accounts.find(actor, user_id))


@get("/api/v1/admin/users/{user_id:str}/limits", needs=Acl.ADMIN_USER_READ, raises=[UserUnknown])
def show_user_limits(user_id: str, actor: Actor, accounts: Accounts) -> UserLimitsAnswer:
    """Show a user's own limits of downloads."""
    person = accounts.find(actor, user_id)
    return UserLimitsAnswer(download_rate=person.download_rate, downloads_at_once=person.downloads_at_once)


@patch("/api/v1/admin/users/{user_id:str}", needs=Acl.ADMIN_USER_UPDATE, raises=[UserUnknown, LastAdmin])
def change_user(user_id: str, changes: AdminChanges, actor: Actor, accounts: Accounts) -> UserAnswer:
    """Enable, disable, promote or demote a user, or change name, address and limits of downloads."""
    return UserAnswer.of(accounts.change(actor, user_id, changes))


@delete("/api/v1/admin/users/{user_id:str}", needs=Acl.ADMIN_USER_DELETE, raises=[UserUnknown, LastAdmin])
def delete_user(user_id: str, actor: Actor, accounts: Accounts) -> None:
    """Delete a user with sessions, tokens and picture; games stay."""
    accounts.delete(actor, user_id)


@post("/api/v1/admin/users/{user_id:str}/reset", needs=Acl.ADMIN_USER_UPDATE, raises=[UserUnknown])
def create_reset_link(user_id: str, actor: Actor, accounts: Accounts, settings: Settings) -> ResetAnswer:
    """Make a link with which the user sets a new password, once and within a day."""
    return ResetAnswer(reset_url=settings.page(f"/auth/reset?id={accounts.new_reset(actor, user_id)}"))


@post("/api/v1/auth/reset/simple", needs=Caller.ANYBODY, status=204, raises=[ResetUnknown])
async def reset_password(draft: ResetDraft, accounts: Accounts, password_lane: PasswordLane) -> None:
    """Set a new password by a reset link."""
    await password_lane.run(accounts.reset_password, draft)


ROUTES = (
    show_own_account,
    change_own_account,
    change_own_password,
    list_users,
    show_user,
    show_user_limits,
    change_user,
    delete_user,
    create_reset_link,
    reset_password,
)
