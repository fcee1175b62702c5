"""Invitations and sign-up on the wire (interface 2.3, 4.3)."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, structs

from playdock.features.accounts.schemas import DisplayName, Email, Password, Username
from playdock.kit.bodies import Answer, Body, Query
from playdock.kit.clock import timestamp
from playdock.models import Invitation


class InvitationDraft(Body):
    """An invitation that is to be made."""

    expires: Annotated[
        datetime,
        Meta(
            description="When the invitation ends, in ISO 8601; without a zone it is read as UTC.",
            examples=["2027-01-31T12:00:00.000Z"],
            extra_json_schema={"format": "date-time"},
        ),
    ]
    username: Username | None = None
    email: Email | None = None
    is_admin: Annotated[bool, Meta(description="Whether the new user becomes an admin.")] = False


class InvitationId(Body):
    """Which invitation is meant."""

    id: str


class SignUpQuery(Query):
    """The invitation in the address."""

    id: Annotated[str | None, Meta(description="The invitation's id, if not in the body.")] = None


class InvitationQuery(Query):
    """The invitation in the address."""

    id: Annotated[str, Meta(description="The invitation's id, which is its secret.")]


class SignUpDraft(Body):
    """Who wants to become a user."""

    invitation: Annotated[str, Meta(description="The invitation's id.")]
    password: Password
    username: Username
    email: Email
    display_name: DisplayName | None = None


class InvitationAnswer(Answer):
    """An invitation as the invitee sees it."""

    id: str
    is_admin: bool
    username: str | None
    email: str | None
    expires: str

    @classmethod
    def of(cls, row: Invitation) -> "InvitationAnswer":
        return cls(
            id=row.id, is_admin=row.is_admin, username=row.username, email=row.email, expires=timestamp(row.expires)
        )


class ListedInvitation(InvitationAnswer):
    """An invitation as admins see it, with the link to pass on."""

    invite_url: str

    @classmethod
    def with_link(cls, row: Invitation, *, invite_url: str) -> "ListedInvitation":
        return cls(**structs.asdict(InvitationAnswer.of(row)), invite_url=invite_url)
