"""The ways to sign in (interface 4.2, decisions 3)."""

from anyio import CapacityLimiter, to_thread

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.mechanisms.errors import LastMechanism, MechanismUnknown
from playdock.features.mechanisms.schemas import MechanismAnswer, MechanismsAnswer
from playdock.features.mechanisms.service import Mechanisms
from playdock.http.routing import Caller, delete, get
from playdock.settings import Settings


@get("/api/v1/auth", needs=Caller.ANYBODY)
async def list_mechanisms(settings: Settings) -> list[str]:
    """Name the ways to sign in."""
    return settings.mechanisms


@get("/api/v1/admin/auth", needs=Acl.AUTH_READ)
async def show_mechanisms(actor: Actor, mechanisms: Mechanisms, provider_threads: CapacityLimiter) -> MechanismsAnswer:
    """Show how the ways to sign in are configured."""
    return await to_thread.run_sync(mechanisms.configuration, actor, limiter=provider_threads)


@get("/api/v1/user/mechanism", needs=Caller.SESSION)
def list_own_mechanisms(actor: Actor, mechanisms: Mechanisms) -> list[MechanismAnswer]:
    """List the own ways to sign in."""
    return [MechanismAnswer.of(row) for row in mechanisms.own(actor)]


@delete("/api/v1/user/mechanism/{kind:str}", needs=Caller.SESSION, raises=[MechanismUnknown, LastMechanism])
def remove_own_mechanism(kind: str, actor: Actor, mechanisms: Mechanisms) -> None:
    """Take one of the own ways to sign in away, but never the last."""
    mechanisms.remove(actor, kind)


ROUTES = (list_mechanisms, show_mechanisms, list_own_mechanisms, remove_own_mechanism)
