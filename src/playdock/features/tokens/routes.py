"""``/api/v1/user/token`` and ``/api/v1/token`` (decisions 3)."""

from playdock.auth.actor import Actor
from playdock.features.tokens.errors import AclNotYours, TokenUnknown
from playdock.features.tokens.schemas import NewTokenAnswer, TokenAnswer, TokenDraft
from playdock.features.tokens.service import Tokens
from playdock.http.routing import Caller, delete, get, post


@get("/api/v1/token", needs=Caller.SIGNED_IN)
async def list_own_acls(actor: Actor) -> list[str]:
    """List the rights of the credential that this call is made with, sorted."""
    return sorted(acl.value for acl in actor.acls)


@get("/api/v1/user/token", needs=Caller.SESSION)
def list_tokens(actor: Actor, tokens: Tokens) -> list[TokenAnswer]:
    """List the own API tokens, without their secrets."""
    return [TokenAnswer.of(row) for row in tokens.own(actor)]


@get("/api/v1/user/token/acls", needs=Caller.SESSION)
def list_grantable_acls(actor: Actor, tokens: Tokens) -> dict[str, str]:
    """List the rights that a new token may have, with what each allows."""
    return tokens.grantable(actor)


@post("/api/v1/user/token", needs=Caller.SESSION, status=201, raises=[AclNotYours])
def create_token(draft: TokenDraft, actor: Actor, tokens: Tokens) -> NewTokenAnswer:
    """Make an API token; its secret is shown this once."""
    made = tokens.create(actor, draft)
    return NewTokenAnswer.with_secret(made.row, secret=made.secret)


@delete("/api/v1/user/token/{token_id:str}", needs=Caller.SESSION, raises=[TokenUnknown])
def revoke_token(token_id: str, actor: Actor, tokens: Tokens) -> None:
    """Revoke one of the own API tokens."""
    tokens.revoke(actor, token_id)


ROUTES = (list_own_acls, list_tokens, list_grantable_acls, create_token, revoke_token)
