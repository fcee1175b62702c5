"""Invitations for admins, and signing up with an invitation."""

from functools import partial

from playdock.auth.actor import Actor, UserInfo
from playdock.auth.errors import PasswordQueueFull, RecentSignInRequired
from playdock.auth.passwords import PasswordThreads
from playdock.auth.permissions import Permission
from playdock.features.accounts.errors import PasswordSignInDisabled, UsernameTaken
from playdock.features.accounts.schemas import UserResponse
from playdock.features.invitations import rules
from playdock.features.invitations.errors import InvitationUnknown
from playdock.features.invitations.rules import InvitationInfo
from playdock.features.invitations.schemas import (
    CreatedInvitation,
    InvitationCreate,
    InvitationId,
    InvitationQuery,
    InvitationResponse,
    InvitationsQuery,
    LinkAddress,
    ListedInvitation,
    SignUpQuery,
    SignUpRequest,
)
from playdock.features.invitations.service import Invitations
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.server.link_address import link_address
from playdock.server.password_requests import run_password_request
from playdock.server.routing import AnyRequest, Caller, address_of, delete, get, post
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts


def _link(address: str, invitation: InvitationInfo) -> str:
    return f"{address}{rules.page(invitation.id)}"


def _listed(address: str, actor: Actor, invitation: InvitationInfo) -> ListedInvitation:
    link = _link(address, invitation) if rules.shows_secret(actor, is_admin=invitation.is_admin) else None
    return ListedInvitation.with_link(invitation, invite_url=link)


@get("/api/v1/admin/auth/invitation", requires=Permission.INVITATION_READ)
def list_invitations(
    request: AnyRequest, query: InvitationsQuery, actor: Actor, invitations: Invitations, settings: Settings
) -> list[ListedInvitation]:
    """List the valid invitations, newest first: all of them, or with `limit` one page.

    An id is a secret: it and the link are null unless the caller has the permissions to create such an invitation.
    """
    address = link_address(request, settings)
    return [_listed(address, actor, each) for each in invitations.listing(actor, query)]


@get("/api/v1/admin/auth/invitation/address", requires=Permission.INVITATION_NEW)
def show_invitation_address(
    request: AnyRequest, actor: Actor, invitations: Invitations, settings: Settings
) -> LinkAddress:
    """Return the address with which links begin, and what to use instead if only this machine can open it."""
    return invitations.describe_address(actor, link_address(request, settings))


@post(
    "/api/v1/admin/auth/invitation",
    requires=Permission.INVITATION_NEW,
    status=201,
    raises=[RecentSignInRequired],
)
def create_invitation(
    request: AnyRequest, data: InvitationCreate, actor: Actor, invitations: Invitations, settings: Settings
) -> list[CreatedInvitation]:
    """Create an invitation. Returns a list with only this invitation.

    An invitation for an administrator also requires `system:user:admin:update`.
    """
    created = invitations.create(actor, data)
    return [CreatedInvitation.with_link(created, invite_url=_link(link_address(request, settings), created))]


@delete("/api/v1/admin/auth/invitation", requires=Permission.INVITATION_DELETE, raises=[InvitationUnknown])
def delete_invitation(data: InvitationId, actor: Actor, invitations: Invitations) -> None:
    """Revoke an invitation."""
    invitations.revoke(actor, data.id)


@get("/api/v1/auth/signup/simple", requires=Caller.ANYBODY, raises=[InvitationUnknown, TooManyAttempts])
def show_invitation(request: AnyRequest, query: InvitationQuery, invitations: Invitations) -> InvitationResponse:
    """Return an invitation. Its id is the secret in its link."""
    return InvitationResponse.of(invitations.find(query.id, address=address_of(request)))


@post(
    "/api/v1/auth/signup/simple",
    requires=Caller.ANYBODY,
    status=201,
    raises=[PasswordSignInDisabled, InvitationUnknown, UsernameTaken, TooManyAttempts, PasswordQueueFull],
)
async def sign_up(
    request: AnyRequest,
    query: SignUpQuery,
    data: SignUpRequest,
    invitations: Invitations,
    password_threads: PasswordThreads,
) -> UserResponse:
    """Sign up with an invitation."""
    if query.id not in (None, data.invitation):
        raise InvalidInput([FieldError("invitation", Message("other-invitation"))])
    redeem = partial(invitations.redeem, data, address=address_of(request))
    user: UserInfo = await run_password_request(request, password_threads, redeem)
    return UserResponse.of(user)


ROUTES = (
    list_invitations,
    show_invitation_address,
    create_invitation,
    delete_invitation,
    show_invitation,
    sign_up,
)
