"""Creating, showing, redeeming and revoking invitations."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from msgspec import UNSET, Struct, structs
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
from playdock.features.invitations.rules import InvitationInfo
from playdock.features.invitations.schemas import InvitationCreate, InvitationsQuery, LinkAddress, SignUpRequest
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.security_log import SecurityEvent, record
from playdock.kit.web_urls import is_local
from playdock.models import Invitation
from playdock.pictures.images import MEDIA_TYPE
from playdock.pictures.operations import default_avatar
from playdock.server.link_address import network_urls
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
    secret_key: SecretKey

    def create(self, actor: Actor, data: InvitationCreate) -> InvitationInfo:
        """Create an invitation.

        Raises:
            PermissionMissing: it is for an admin, and the caller may not make admins.
            RecentSignInRequired: it is for an admin, and the caller has to confirm the password.
            InvalidInput: the expiry is in the past or too far ahead, or the user name is taken.
        """
        actor.require(Permission.INVITATION_NEW)
        if data.is_admin:
            actor.require(Permission.ADMINS_UPDATE)
            actor.require_recent_if_session(now=self.clock())
        return self.issue(data)

    def issue(self, data: InvitationCreate) -> InvitationInfo:
        """Create an invitation without an actor; for the server's command line only.

        Raises:
            InvalidInput: the expiry is in the past or too far ahead, or the user name is taken.
        """
        invitation = _new_invitation(data, now=self.clock())
        with self.db.write() as session:
            if data.username is not None and account_queries.find_by_name(session, data.username) is not None:
                raise InvalidInput([FieldError("username", Message("invited-name-taken", username=data.username))])
            self.add(session, invitation)
        record(SecurityEvent.INVITATION_CREATED, admin=invitation.is_admin)
        return invitation

    def first(self) -> InvitationInfo | None:
        """Return the invitation for the first admin, None if there are users; create it only if no valid one exists."""
        now = self.clock()
        with self.db.write() as session:
            advisory_lock(session, LockLevel.FIRST_INVITATION)
            if account_queries.any_user_exists(session):
                return None
            for valid in self._unexpired(session):
                if valid.is_admin and valid.username is None:
                    return valid
            invitation = _new_invitation(InvitationCreate(expires=now + rules.FIRST_LIFETIME, is_admin=True), now=now)
            self.add(session, invitation)
        record(SecurityEvent.INVITATION_CREATED, admin=True)
        return invitation

    def encrypt_ids(self) -> None:
        """Encrypt the ids of invitations that a release before 0.2 has created."""
        with self.db.write() as session:
            for row in queries.unexpired(session, at=self.clock()):
                if rules.is_plain(row.id):
                    queries.replace_id(session, row.id, self.stored_id(row.id))

    def listing(self, actor: Actor, query: InvitationsQuery) -> list[InvitationInfo]:
        """Return the valid invitations, newest first: all of them, or one page."""
        actor.require(Permission.INVITATION_READ)
        end = None if query.limit is UNSET else query.offset + query.limit
        with self.db.read() as session:
            return list(islice(self._unexpired(session), query.offset, end))

    def describe_address(self, actor: Actor, address: str) -> LinkAddress:
        """Return whether only this machine can open links that begin with an address, and what others can open."""
        actor.require(Permission.INVITATION_NEW)
        local = is_local(address)
        # Those of the configured address, because the caller chooses the port of the visited one.
        alternatives = network_urls(self.settings.address) if local else []
        return LinkAddress(address=address, local=local, alternatives=alternatives)

    def revoke(self, actor: Actor, invitation_id: str) -> None:
        """Revoke an invitation.

        Raises:
            InvitationUnknown: no invitation has this id.
        """
        actor.require(Permission.INVITATION_DELETE)
        with self.db.write() as session:
            if not queries.remove(session, self.stored_id(invitation_id)):
                raise InvitationUnknown
        record(SecurityEvent.INVITATION_REVOKED)

    def find(self, invitation_id: str, *, address: str) -> InvitationInfo:
        """Return a valid invitation by its id, which is its secret.

        Raises:
            InvitationUnknown: it is unknown, used or expired.
            TooManyAttempts: too many unknown invitations were requested from this address.
        """
        now, limits = self.clock(), throttle_rules.invitation_limits(address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=now)
            found = queries.find(session, self.stored_id(invitation_id), at=now)
        if found is None:
            with self.db.write() as session:
                throttle.count(session, limits, at=now)
            raise InvitationUnknown
        return _info(found, invitation_id)

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
        invitation = queries.claim(session, self.stored_id(data.invitation), at=self.clock())
        if invitation is None:
            raise InvitationUnknown
        new = _new_user(invitation, data, user_id=user_id, picture_id=picture_id)
        user = account_queries.add_user(session, new, at=self.clock())
        if user is None:
            raise UsernameTaken(new.username)
        return user

    def add(self, session: Session, invitation: InvitationInfo) -> None:
        """Add an invitation in the caller's transaction."""
        values = {**structs.asdict(invitation), "id": self.stored_id(invitation.id)}
        queries.add(session, Invitation(**values, created=self.clock()))

    def _unexpired(self, session: Session) -> Iterator[InvitationInfo]:
        """Yield the valid invitations, newest first. Those of another secret key are not valid."""
        for row in queries.unexpired(session, at=self.clock()):
            plain = self.secret_key.decrypt(row.id, Purpose.INVITATION)
            if plain is not None:
                yield _info(row, plain)

    def stored_id(self, invitation_id: str) -> str:
        """Return the encrypted form of an id, which is stored."""
        return self.secret_key.encrypt(invitation_id, Purpose.INVITATION)


def _info(row: Invitation, invitation_id: str) -> InvitationInfo:
    return InvitationInfo(invitation_id, row.is_admin, row.username, row.email, row.expires)


def _new_invitation(data: InvitationCreate, *, now: datetime) -> InvitationInfo:
    expires = rules.expiry(data.expires, now=now)
    return InvitationInfo(new_id(), data.is_admin, data.username, data.email, expires)


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
