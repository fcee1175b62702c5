"""Wire types of invitations and of signing up."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, structs

from playdock.features.accounts.schemas import MAX_LISTED, DisplayName, Email, Password, Username
from playdock.features.invitations.rules import InvitationInfo
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Expiry, Id, Offset


class InvitationCreate(RequestBody):
    """An invitation to create."""

    expires: Annotated[
        datetime,
        Meta(
            description="When the invitation expires, in ISO 8601; UTC if there is no time zone.",
            examples=["2027-01-31T12:00:00.000Z"],
            extra_json_schema={"format": "date-time"},
        ),
    ]
    username: Username | None = None
    email: Email | None = None
    is_admin: Annotated[bool, Meta(description="Whether the new user becomes an admin.")] = False


class InvitationsQuery(Query):
    """Which invitations to list. Without parameters, all of them."""

    offset: Offset = 0
    limit: (
        Annotated[int, Meta(ge=1, le=MAX_LISTED, description="The maximum number to return; all if omitted.")]
        | UnsetType
    ) = UNSET


class InvitationId(RequestBody):
    """The id of an invitation."""

    id: Id


class SignUpQuery(Query):
    """The id of an invitation."""

    id: Annotated[str | None, Meta(description="The invitation's id; optional, because the body contains it.")] = None


class InvitationQuery(Query):
    """The id of an invitation."""

    id: Annotated[str, Meta(description="The invitation's id, which is its secret.")]


class SignUpRequest(RequestBody):
    """The new user, and the invitation's id."""

    invitation: Annotated[Id, Meta(description="The invitation's id.")]
    password: Password
    username: Username
    email: Email
    display_name: DisplayName | None = None


class InvitationResponse(ResponseBody):
    """An invitation as shown to the invitee. The invitee cannot change a user name or email address set here."""

    id: Id
    is_admin: bool
    username: str | None
    email: Annotated[str, Meta(examples=["ada@example.org"])] | None
    expires: Expiry

    @classmethod
    def of(cls, invitation: InvitationInfo) -> "InvitationResponse":
        return cls(**{**structs.asdict(invitation), "expires": timestamp(invitation.expires)})


InviteUrl = Annotated[
    str, Meta(examples=["http://localhost:3000/auth/register?id=3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"])
]


class CreatedInvitation(InvitationResponse):
    """An invitation with its link to share."""

    invite_url: InviteUrl

    @classmethod
    def with_link(cls, invitation: InvitationInfo, *, invite_url: str) -> "CreatedInvitation":
        return cls(**structs.asdict(InvitationResponse.of(invitation)), invite_url=invite_url)


class ListedInvitation(ResponseBody):
    """An invitation in a list. `id` and `inviteUrl` are null if the caller may not create such an invitation."""

    id: Id | None
    is_admin: bool
    username: str | None
    email: Annotated[str, Meta(examples=["ada@example.org"])] | None
    expires: Expiry
    invite_url: InviteUrl | None

    @classmethod
    def with_link(cls, invitation: InvitationInfo, *, invite_url: str | None) -> "ListedInvitation":
        values = structs.asdict(InvitationResponse.of(invitation))
        return cls(**{**values, "id": invitation.id if invite_url else None}, invite_url=invite_url)


class LinkAddress(ResponseBody):
    """The address with which links begin. If it is `local`, only the server's own machine can open them.

    Then `alternatives` are addresses of the machine in its network at which the server responds.
    """

    address: Annotated[str, Meta(examples=["http://localhost:3000"])]
    local: Annotated[bool, Meta(examples=[True])]
    alternatives: Annotated[list[str], Meta(examples=[["http://nas:3000"]])]
