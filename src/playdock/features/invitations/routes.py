"""Invitations for admins, sign-up for those who hold one (interface 4.3)."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor, Person
from playdock.auth.passwords import PasswordLane
from playdock.features.accounts.errors import SimpleOff, UsernameTaken
from playdock.features.accounts.schemas import UserAnswer
from playdock.features.invitations import rules
from playdock.features.invitations.errors import InvitationUnknown
from playdock.features.invitations.schemas import (
    InvitationAnswer,
    InvitationDraft,
    InvitationId,
    InvitationQuery,
    ListedInvitation,
    SignUpDraft,
    SignUpQuery,
)
from playdock.features.invitations.service import Invitations
from playdock.http.routing import AnyRequest, Caller, address_of, delete, get, post
from playdock.kit.errors import Fault, InvalidInput
from playdock.models import Invitation
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts


def _listed(settings: Settings, row: Invitation) -> ListedInvitation:
    return ListedInvitation.with_link(row, invite_url=settings.page(rules.page(row.id)))


@get("/api/v1/admin/auth/invitation", needs=Acl.INVITATION_READ)
def list_invitations(actor: Actor, invitations: Invitations, settings: Settings) -> list[ListedInvitation]:
    """List the invitations that can still be redeemed, newest first."""
    return [_listed(settings, row) for row in invitations.alive(actor)]


@post("/api/v1/admin/auth/invitation", needs=Acl.INVITATION_NEW, status=201)
def create_invitation(
    draft: InvitationDraft, actor: Actor, invitations: Invitations, settings: Settings
) -> list[ListedInvitation]:
    """Create an invitation; answers a list with that one."""
    return [_listed(settings, invitations.create(actor, draft))]


@delete("/api/v1/admin/auth/invitation", needs=Acl.INVITATION_DELETE, raises=[InvitationUnknown])
def delete_invitation(which: InvitationId, actor: Actor, invitations: Invitations) -> None:
    """Withdraw an invitation."""
    invitations.withdraw(actor, which.id)


@get("/api/v1/auth/signup/simple", needs=Caller.ANYBODY, raises=[InvitationUnknown, TooManyAttempts])
def show_invitation(request: AnyRequest, asked: InvitationQuery, invitations: Invitations) -> InvitationAnswer:
    """Show an invitation to whoever holds its id."""
    return InvitationAnswer.of(invitations.find(asked.id, address=address_of(request)))


@post(
    "/api/v1/auth/signup/simple",
    needs=Caller.ANYBODY,
    status=201,
    raises=[SimpleOff, InvitationUnknown, UsernameTaken, TooManyAttempts],
)
async def sign_up(
    request: AnyRequest,
    asked: SignUpQuery,
    draft: SignUpDraft,
    invitations: Invitations,
    password_lane: PasswordLane,
) -> UserAnswer:
    """Become a user by an invitation."""
    if asked.id not in (None, draft.invitation):
        raise InvalidInput([Fault("invitation", "It is another invitation than the one in the address.")])
    person: Person = await password_lane.run(invitations.redeem, draft, address=address_of(request))
    return UserAnswer.of(person)


ROUTES = (list_invitations, create_invitation, delete_invitation, show_invitation, sign_up)
