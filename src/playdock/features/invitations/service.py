"""Creating, showing and redeeming invitations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor, Person
from playdock.auth.passwords import Passwords
from playdock.db.database import Database
from playdock.db.turns import take_turn
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.errors import SimpleOff, UsernameTaken
from playdock.features.accounts.queries import NewUser
from playdock.features.accounts.rules import check_password, display_name
from playdock.features.invitations import queries, rules
from playdock.features.invitations.errors import InvitationUnknown
from playdock.features.invitations.schemas import InvitationDraft, SignUpDraft
from playdock.features.objects.rules import INTERNAL
from playdock.features.objects.service import Objects
from playdock.kit.clock import Clock
from playdock.kit.secrets import new_id
from playdock.models import Invitation
from playdock.pictures import portraits
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle


@dataclass(frozen=True, slots=True)
class Invitations:
    """Invitations, from their making to the user they become."""

    db: Database
    clock: Clock
    passwords: Passwords
    objects: Objects
    settings: Settings

    def create(self, actor: Actor, draft: InvitationDraft) -> Invitation:
        actor.require(Acl.INVITATION_NEW)
        return self.issue(draft)

    def issue(self, draft: InvitationDraft) -> Invitation:
        """Create an invitation on behalf of whoever runs the server.

        Raises:
            InvalidInput: the expiry is past or too far ahead.
        """
        row = _drafted(draft, now=self.clock())
        with self.db.write() as session:
            queries.add(session, row)
        return row

    def first(self) -> Invitation | None:
        """Give the invitation of the first admin, as long as there is no user; the same one at every start."""
        now = self.clock()
        with self.db.write() as session:
            take_turn(session, "first invitation")
            if account_queries.any_user(session):
                return None
            waiting = [row for row in queries.alive(session, at=now) if row.is_admin and row.username is None]
            if waiting:
                return waiting[0]
            row = _drafted(InvitationDraft(expires=now + rules.FIRST_LIFETIME, is_admin=True), now=now)
            queries.add(session, row)
        return row

    def alive(self, actor: Actor) -> Sequence[Invitation]:
        actor.require(Acl.INVITATION_READ)
        with self.db.read() as session:
            return queries.alive(session, at=self.clock())

    def withdraw(self, actor: Actor, invitation_id: str) -> None:
        """Delete an invitation.

        Raises:
            InvitationUnknown: there is none with this id.
        """
        actor.require(Acl.INVITATION_DELETE)
        with self.db.write() as session:
            if not queries.remove(session, invitation_id):
                raise InvitationUnknown

    def find(self, invitation_id: str, *, address: str) -> Invitation:
        """Show an invitation to whoever holds its id.

        Raises:
            InvitationUnknown: it is unknown, used or expired.
            TooManyAttempts: too many unknown ones were asked for from this address.
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

    def redeem(self, draft: SignUpDraft, *, address: str) -> Person:
        """Become a user. The invitation is used up exactly when the user exists.

        Raises:
            SimpleOff: nobody signs up with a password here.
            InvitationUnknown: it is unknown, used or expired.
            UsernameTaken: somebody has the name; the invitation stays usable.
            TooManyAttempts: too many unknown invitations were tried from this address.
        """
        if not self.settings.simple:
            raise SimpleOff
        check_password(draft.password)
        self.find(draft.invitation, address=address)
        hashed = self.passwords.hash(draft.password)
        user_id = new_id()
        picture = self.objects.write(portraits.draw(user_id), media_type=portraits.MEDIA_TYPE)
        try:
            with self.db.write() as session:
                person = self._become(session, draft, user_id=user_id, picture_id=picture.id)
                account_queries.set_password(session, user_id, hashed)
                self.objects.adopt(session, picture, reader=INTERNAL)
        except BaseException:
            self.objects.discard(picture.id)
            raise
        return person

    def _become(self, session: Session, draft: SignUpDraft, *, user_id: str, picture_id: str) -> Person:
        invitation = queries.claim(session, draft.invitation, at=self.clock())
        if invitation is None:
            raise InvitationUnknown
        new = _new_user(invitation, draft, user_id=user_id, picture_id=picture_id)
        person = account_queries.add_user(session, new, at=self.clock())
        if person is None:
            raise UsernameTaken(new.username)
        return person


def _drafted(draft: InvitationDraft, *, now: datetime) -> Invitation:
    return Invitation(
        id=new_id(),
        is_admin=draft.is_admin,
        username=draft.username,
        email=draft.email,
        expires=rules.expiry(draft.expires, now=now),
        created=now,
    )


def _new_user(invitation: Invitation, draft: SignUpDraft, *, user_id: str, picture_id: str) -> NewUser:
    username = invitation.username or draft.username
    return NewUser(
        id=user_id,
        username=username,
        display_name=display_name(draft.display_name, username=username),
        email=invitation.email or draft.email,
        picture_id=picture_id,
        admin=invitation.is_admin,
    )
