"""Mechanisms on the wire (interface 2.2)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from playdock.kit.bodies import Answer
from playdock.models import Mechanism


class OpenIdAnswer(Answer):
    """How OpenID is configured."""

    authorization_url: Annotated[str, Meta(description="Where people sign in; empty while the provider is away.")]
    scopes: Annotated[str, Meta(description="What is asked for, separated by commas.")]
    admin_group: Annotated[str, Meta(description="Whose members are admins; empty if that is decided here.")]
    username_claim: str
    external_url: str


class MechanismsAnswer(Answer):
    """The ways to sign in that are switched on, with their configuration (interface 2.2)."""

    simple: bool = field(name="Simple")
    openid: OpenIdAnswer | UnsetType = field(name="OpenID", default=UNSET)


class MechanismAnswer(Answer):
    """One of the caller's ways to sign in; one with a provider names it."""

    kind: str
    issuer: str | UnsetType = UNSET

    @classmethod
    def of(cls, row: Mechanism) -> "MechanismAnswer":
        return cls(kind=row.kind, issuer=row.subject.partition(" ")[0] if row.subject else UNSET)
