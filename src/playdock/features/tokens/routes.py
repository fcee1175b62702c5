"""``/api/v1/user/token`` and ``/api/v1/token``: API tokens."""

from typing import Annotated

from msgspec import Meta

from playdock.auth.actor import Actor
from playdock.features.tokens.errors import PermissionNotHeld, TokenUnknown
from playdock.features.tokens.schemas import NewTokenResponse, TokenCreate, TokenResponse
from playdock.features.tokens.service import Tokens
from playdock.server.routing import Caller, delete, get, post

_Grantable = Annotated[dict[str, str], Meta(examples=[{"user:read": "See your account."}])]


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


@post("/api/v1/user/token", requires=Caller.SESSION, status=201, raises=[PermissionNotHeld])
def create_token(data: TokenCreate, actor: Actor, tokens: Tokens) -> NewTokenResponse:
    """Create an API token. Its secret is shown only once."""
    new = tokens.create(actor, data)
    return NewTokenResponse.with_secret(new.row, secret=new.secret)


@delete("/api/v1/user/token/{token_id:str}", requires=Caller.SESSION, raises=[TokenUnknown])
def revoke_token(token_id: str, actor: Actor, tokens: Tokens) -> None:
    """Revoke one of your API tokens."""
    tokens.revoke(actor, token_id)


ROUTES = (list_own_permissions, list_tokens, list_grantable_permissions, create_token, revoke_token)
