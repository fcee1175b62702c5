"""Wire types of sign-in methods."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from playdock.kit.bodies import ResponseBody
from playdock.models import SignInMethod


class OpenIdResponse(ResponseBody):
    """The configuration of OpenID."""

    authorization_url: Annotated[
        str,
        Meta(
            description="The provider's sign-in page; empty while the provider is unavailable.",
            examples=["https://id.example.org/authorize"],
        ),
    ]
    scopes: Annotated[
        str, Meta(description="The requested scopes, separated by commas.", examples=["openid,profile,email"])
    ]
    admin_group: Annotated[
        str,
        Meta(
            description="The group whose members are admins; empty if admins are set here.",
            examples=["admins"],
        ),
    ]
    username_claim: Annotated[str, Meta(examples=["preferred_username"])]
    external_url: Annotated[str, Meta(examples=["https://games.example.org"])]


class SignInMethodsResponse(ResponseBody):
    """The enabled sign-in methods with their configuration."""

    simple: Annotated[bool, Meta(examples=[True])] = field(name="Simple")
    openid: OpenIdResponse | UnsetType = field(name="OpenID", default=UNSET)


class SignInMethodResponse(ResponseBody):
    """A sign-in method of the caller; `issuer` is the identity provider of an OpenID method."""

    kind: Annotated[str, Meta(examples=["OpenID"])]
    issuer: Annotated[str, Meta(examples=["https://id.example.org"])] | UnsetType = UNSET

    @classmethod
    def of(cls, row: SignInMethod) -> "SignInMethodResponse":
        return cls(kind=row.kind, issuer=row.subject.partition(" ")[0] if row.subject else UNSET)
