"""What can be done with accounts."""

from dataclasses import dataclass
from typing import Any

from msgspec import UNSET
from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor, Person
from playdock.auth.passwords import Passwords
from playdock.db.database import Database
from playdock.features.accounts import queries, rules
from playdock.features.accounts.errors import (
    LastAdmin,
    NoPassword,
    PictureRefused,
    ResetUnknown,
    UserUnknown,
    WrongPassword,
)
from playdock.features.accounts.schemas import AdminChanges, OwnChanges, PasswordChange, ResetDraft
from playdock.features.objects import queries as object_queries
from playdock.features.objects.rules import INTERNAL
from playdock.features.objects.service import Objects, Written
from playdock.kit.clock import Clock
from playdock.kit.secrets import digest, new_secret
from playdock.pictures import portraits, uploads
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle


@dataclass(frozen=True, slots=True)
class Accounts:
    """Users, as admins and as they themselves see them."""

    db: Database
    clock: Clock
    passwords: Passwords
    objects: Objects

    def everybody(self, actor: Actor) -> list[Person]:
        actor.require(Acl.ADMIN_USER_READ)
        with self.db.read() as session:
            return queries.people(session)

    def find(self, actor: Actor, user_id: str) -> Person:
        actor.require(Acl.ADMIN_USER_READ)
        with self.db.read() as session:
            return _found(queries.find_person(session, user_id))

    def change(self, actor: Actor, user_id: str, changes: AdminChanges) -> Person:
        """Change somebody's account.

        Raises:
            UserUnknown: there is no such user.
            LastAdmin: nobody could administrate the service afterwards.
        """
        actor.require(Acl.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            if not _stays_enabled_admin(changes):
                _refuse_the_last_admin(session, user_id)
            after = _change(session, _found(queries.find_person(session, user_id)), _values(changes))
            if not after.enabled:
                queries.end_sessions(session, user_id)
                queries.end_devices(session, user_id)
        return after

    def delete(self, actor: Actor, user_id: str) -> None:
        """Delete a user with everything that is only theirs.

        Raises:
            UserUnknown: there is no such user.
            LastAdmin: nobody could administrate the service afterwards.
        """
        actor.require(Acl.ADMIN_USER_DELETE)
        with self.db.write() as session:
            _refuse_the_last_admin(session, user_id)
            gone = queries.remove(session, user_id)
            if gone is None:
                raise UserUnknown
            object_queries.remove(session, gone.picture_id)
        self.objects.discard(gone.picture_id)

    def change_own(self, actor: Actor, changes: OwnChanges) -> Person:
        """Change the own display name, address and picture.

        Raises:
            PictureRefused: the picture cannot be taken.
        """
        actor.require(Acl.USER_UPDATE)
        values = _values(changes)
        picture = self._new_picture(actor, values.pop("picture")) if "picture" in values else None
        with self.db.write() as session:
            if picture is not None:
                self.objects.adopt(session, picture, reader=INTERNAL)
                values["picture_id"] = picture.id
            before = _found(queries.hold_person(session, actor.person.id))
            after = _change(session, before, values)
            if picture is not None:
                object_queries.remove(session, before.picture_id)
        if picture is not None:
            self.objects.discard(before.picture_id)
        return after

    def change_password(self, actor: Actor, change: PasswordChange) -> None:
        """Replace the own password and sign out everywhere else; devices stay signed in.

        Raises:
            WrongPassword: the present one is another.
            NoPassword: the account has none.
            TooManyAttempts: the present one was guessed at too often.
        """
        actor.require(Acl.USER_UPDATE)
        rules.check_password(change.new, field="new")
        me = actor.person
        limits = throttle_rules.password_limits(me.id)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            present = queries.password_hash(session, me.id)
        if present is None:
            raise NoPassword
        if not self.passwords.verify(present, change.current):
            with self.db.write() as session:
                throttle.count(session, limits, at=self.clock())
            raise WrongPassword
        hashed = self.passwords.hash(change.new)
        with self.db.write() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            if not queries.exchange_password(session, me.id, old_hash=present, new_hash=hashed):
                raise WrongPassword
            queries.end_sessions(session, me.id, but=actor.credential.id)

    def new_reset(self, actor: Actor, user_id: str) -> str:
        """Make a one-time secret with which a user sets a new password within a day.

        Raises:
            UserUnknown: there is no such user.
        """
        actor.require(Acl.ADMIN_USER_UPDATE)
        secret = new_secret("pdr")
        with self.db.write() as session:
            _found(queries.find_person(session, user_id))
            expires = self.clock() + rules.RESET_LIFETIME
            queries.add_reset(session, user_id, digest=digest(secret), expires=expires)
        return secret

    def reset_password(self, draft: ResetDraft) -> None:
        """Set a new password by a reset link, sign the user out everywhere, on devices too, and revoke their links.

        Raises:
            ResetUnknown: the link is unknown, used or expired.
        """
        rules.check_password(draft.password)
        with self.db.read() as session:
            if not queries.reset_is_valid(session, digest(draft.id), at=self.clock()):
                raise ResetUnknown
        hashed = self.passwords.hash(draft.password)
        with self.db.write() as session:
            user_id = queries.claim_reset(session, digest(draft.id), at=self.clock())
            if user_id is None:
                raise ResetUnknown
            queries.set_password(session, user_id, hashed)
            queries.end_sessions(session, user_id)
            queries.end_devices(session, user_id)
            queries.end_links(session, user_id)

    def _new_picture(self, actor: Actor, data: bytes | None) -> Written:
        if data is None:
            return self.objects.write(portraits.draw(actor.person.id), media_type=portraits.MEDIA_TYPE)
        try:
            return self.objects.write(uploads.portrait(data), media_type=uploads.MEDIA_TYPE)
        except uploads.UnusablePicture as reason:
            raise PictureRefused(str(reason)) from None


def _refuse_the_last_admin(session: Session, user_id: str) -> None:
    if set(queries.hold_enabled_admins(session)) == {user_id}:
        raise LastAdmin


def _found(person: Person | None) -> Person:
    if person is None:
        raise UserUnknown
    return person


def _change(session: Session, person: Person, values: dict[str, Any]) -> Person:
    if "display_name" in values:
        values["display_name"] = rules.display_name(values["display_name"], username=person.username)
    return _found(queries.change(session, person.id, values) if values else person)


def _stays_enabled_admin(changes: AdminChanges) -> bool:
    return changes.enabled is not False and changes.admin is not False


def _values(changes: OwnChanges | AdminChanges) -> dict[str, Any]:
    """Give what is to change, by column."""
    return {name: value for name in changes.__struct_fields__ if (value := getattr(changes, name)) is not UNSET}
