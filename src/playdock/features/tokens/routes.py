"""API tokens: those of the caller, and for administrators those of every user."""

from typing import Annotated

from msgspec import Meta

from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.features.accounts.errors import UserUnknown
from playdock.features.tokens.errors import PermissionNotHeld, TokenUnknown, TooManyTokens
from playdock.features.tokens.schemas import NewTokenResponse, TokenCreate, TokenLimits, TokenResponse
from playdock.features.tokens.service import Tokens
from playdock.server.routing import Caller, delete, get, post
from playdock.settings import Settings

_Grantable = Annotated[dict[str, str], Meta(examples=[{"user:read": "See own account."}])]


@get("/api/v1/token", requires=Caller.SIGNED_IN)
async def list_own_permissions(actor: Actor) -> list[Annotated[str, Meta(examples=["user:read"])]]:
    """List the permissions of the credential of this request, sorted."""
    return sorted(permission.value for permission in actor.acls)


@get("/api/v1/user/token", requires=Caller.SESSION)
def list_tokens(actor: Actor, tokens: Tokens) -> list[TokenResponse]:
    """List your API tokens, without their secrets."""
    return [TokenResponse.of(row) for row in tokens.own(actor)]


@get("/api/v1/user/token/acls", requires=Caller.SESSION)
def list_grantable_permissions(actor: Actor, tokens: Tokens) -> _Grantable:
    """List the permissions that can be granted to a new token, with descriptions."""
    return tokens.grantable(actor)


@get("/api/v1/user/token/limits", requires=Caller.SESSION)
async def show_token_limits(settings: Settings) -> TokenLimits:
    """Return how long a new token can be valid."""
    return TokenLimits(max_days=settings.token_max_days)


@post(
    "/api/v1/user/token",
    requires=Caller.SESSION,
    status=201,
    raises=[PermissionNotHeld, RecentSignInRequired, TooManyTokens],
)
def create_token(data: TokenCreate, actor: Actor, tokens: Tokens) -> NewTokenResponse:
    """Create an API token. Its secret is shown only once."""
    new = tokens.create(actor, data)
    return NewTokenResponse.with_secret(new.row, secret=new.secret)


@delete("/api/v1/user/token/{token_id:str}", requires=Caller.SESSION, raises=[TokenUnknown])
def revoke_token(token_id: str, actor: Actor, tokens: Tokens) -> None:
    """Revoke one of your API tokens."""
    tokens.revoke(actor, token_id)


@delete("/api/v1/user/token", requires=Caller.SESSION)
def revoke_tokens(actor: Actor, tokens: Tokens) -> None:
    """Revoke all your API tokens."""
    tokens.revoke_all(actor)


@get("/api/v1/admin/users/{user_id:str}/token", requires=Permission.ADMIN_USER_READ, raises=[UserUnknown])
def list_tokens_of_user(user_id: str, actor: Actor, tokens: Tokens) -> list[TokenResponse]:
    """List the API tokens of a user, without their secrets."""
    return [TokenResponse.of(row) for row in tokens.of_user(actor, user_id)]


@delete(
    "/api/v1/admin/users/{user_id:str}/token/{token_id:str}",
    requires=Permission.ADMIN_USER_UPDATE,
    raises=[TokenUnknown],
)
def revoke_token_of_user(user_id: str, token_id: str, actor: Actor, tokens: Tokens) -> None:
    """Revoke an API token of a user."""
    tokens.revoke_of_user(actor, user_id, token_id)


@delete("/api/v1/admin/users/{user_id:str}/token", requires=Permission.ADMIN_USER_UPDATE, raises=[UserUnknown])
def revoke_tokens_of_user(user_id: str, actor: Actor, tokens: Tokens) -> None:
    """Revoke all API tokens of a user."""
    tokens.revoke_all_of_user(actor, user_id)


ROUTES = (
    list_own_permissions,
    list_tokens,
    list_grantable_permissions,
    show_token_limits,
    create_token,
    revoke_token,
    revoke_tokens,
    list_tokens_of_user,
    revoke_token_of_user,
    revoke_tokens_of_user,
)
