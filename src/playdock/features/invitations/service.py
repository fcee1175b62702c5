"""Creating, showing, redeeming and revoking invitations."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, UserInfo
from playdock.auth.passwords import Passwords
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.objects.rules import INTERNAL
from playdock.domain.objects.service import Objects
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.errors import PasswordSignInDisabled, UsernameTaken
from playdock.features.accounts.queries import NewUser
from playdock.features.accounts.rules import check_password, display_name
from playdock.features.invitations import queries, rules
from playdock.features.invitations.errors import InvitationUnknown
from playdock.features.invitations.schemas import InvitationCreate, SignUpRequest
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import Invitation
from playdock.pictures.images import MEDIA_TYPE
from playdock.pictures.operations import default_avatar
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle


class Invitations(Struct, frozen=True):
    """Operations on invitations."""

    db: Database
    clock: Clock
    passwords: Passwords
    objects: Objects
    settings: Settings

    def create(self, actor: Actor, data: InvitationCreate) -> Invitation:
        """Create an invitation.

        Raises:
            PermissionMissing: it is for an admin, and the caller may not make admins.
            InvalidInput: the expiry is in the past or too far ahead.
        """
        actor.require(Permission.INVITATION_NEW)
        if data.is_admin:
            actor.require(Permission.ADMINS_UPDATE)
        return self.issue(data)

    def issue(self, data: InvitationCreate) -> Invitation:
        """Create an invitation without an actor; for the server's command line only.

        Raises:
            InvalidInput: the expiry is in the past or too far ahead.
        """
        row = _new_invitation(data, now=self.clock())
        with self.db.write() as session:
            queries.add(session, row)
        record(SecurityEvent.INVITATION_CREATED, admin=row.is_admin)
        return row

    def first(self) -> Invitation | None:
        """Return the invitation for the first admin, None if there are users; create it only if no valid one exists."""
        now = self.clock()
        with self.db.write() as session:
            advisory_lock(session, LockLevel.FIRST_INVITATION)
            if account_queries.any_user_exists(session):
                return None
            valid = [row for row in queries.unexpired(session, at=now) if row.is_admin and row.username is None]
            if valid:
                return valid[0]
            row = _new_invitation(InvitationCreate(expires=now + rules.FIRST_LIFETIME, is_admin=True), now=now)
            queries.add(session, row)
        record(SecurityEvent.INVITATION_CREATED, admin=True)
        return row

    def unexpired(self, actor: Actor) -> Sequence[Invitation]:
        actor.require(Permission.INVITATION_READ)
        with self.db.read() as session:
            return queries.unexpired(session, at=self.clock())

    def revoke(self, actor: Actor, invitation_id: str) -> None:
        """Revoke an invitation.

        Raises:
            InvitationUnknown: no invitation has this id.
        """
        actor.require(Permission.INVITATION_DELETE)
        with self.db.write() as session:
            if not queries.remove(session, invitation_id):
                raise InvitationUnknown
        record(SecurityEvent.INVITATION_REVOKED)

    def find(self, invitation_id: str, *, address: str) -> Invitation:
        """Return a valid invitation by its id, which is its secret.

        Raises:
            InvitationUnknown: it is unknown, used or expired.
            TooManyAttempts: too many unknown invitations were requested from this address.
        """
        now, limits = self.clock(), throttle_rules.invitation_limits(address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=now)
            found = queries.find(session, invitation_id, at=now)
        if found is None:
            with self.db.write() as session:
                throttle.count(session, limits, at=now)
            raise InvitationUnknown
        return found

    def redeem(self, data: SignUpRequest, *, address: str) -> UserInfo:
        """Create the user of an invitation. The invitation is used up only if the user is created.

        Raises:
            PasswordSignInDisabled: password sign-in is disabled.
            InvalidInput: the password is too long, or weak where that is not allowed.
            InvitationUnknown: it is unknown, used or expired.
            UsernameTaken: the user name is taken; the invitation remains valid.
            TooManyAttempts: too many unknown invitations were tried from this address.
        """
        if not self.settings.simple:
            raise PasswordSignInDisabled
        invitation = self.find(data.invitation, address=address)
        about = (invitation.username or data.username, invitation.email or data.email, data.display_name or "")
        check_password(data.password, self.settings, about=about)
        hashed = self.passwords.hash(data.password)
        user_id = new_id()
        picture = self.objects.write(default_avatar(user_id), media_type=MEDIA_TYPE)
        with on_rollback(lambda: self.objects.discard(picture.id)), self.db.write() as session:
            user = self._create_user(session, data, user_id=user_id, picture_id=picture.id)
            account_queries.set_password(session, user_id, hashed)
            self.objects.adopt(session, picture, reader=INTERNAL)
        record(SecurityEvent.SIGNED_UP, user=user_id, admin=user.admin)
        return user

    def _create_user(self, session: Session, data: SignUpRequest, *, user_id: str, picture_id: str) -> UserInfo:
        invitation = queries.claim(session, data.invitation, at=self.clock())
        if invitation is None:
            raise InvitationUnknown
        new = _new_user(invitation, data, user_id=user_id, picture_id=picture_id)
        user = account_queries.add_user(session, new, at=self.clock())
        if user is None:
            raise UsernameTaken(new.username)
        return user


def _new_invitation(data: InvitationCreate, *, now: datetime) -> Invitation:
    return Invitation(
        id=new_id(),
        is_admin=data.is_admin,
        username=data.username,
        email=data.email,
        expires=rules.expiry(data.expires, now=now),
        created=now,
    )


def _new_user(invitation: Invitation, data: SignUpRequest, *, user_id: str, picture_id: str) -> NewUser:
    username = invitation.username or data.username
    return NewUser(
        id=user_id,
        username=username,
        display_name=display_name(data.display_name, username=username),
        email=invitation.email or data.email,
        picture_id=picture_id,
        admin=invitation.is_admin,
    )
