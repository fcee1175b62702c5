"""Reading and changing the server's profile."""

from typing import Any

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.domain.objects import queries as object_queries
from playdock.domain.objects.rules import ANONYMOUS
from playdock.domain.objects.service import Objects, StoredBytes
from playdock.features.accounts.errors import PictureRefused
from playdock.features.server_profile import queries, rules
from playdock.features.server_profile.schemas import ServerProfileChanges, ServerProfileResponse
from playdock.pictures.images import MEDIA_TYPE, UnusablePicture
from playdock.pictures.operations import profile_picture


class ServerProfiles(Struct, frozen=True):
    """Operations on the profile of the server."""

    db: Database
    objects: Objects

    def show(self) -> ServerProfileResponse:
        """Return the profile, which is public."""
        with self.db.read() as session:
            return ServerProfileResponse.of(queries.find(session))

    def change(self, actor: Actor, changes: ServerProfileChanges) -> ServerProfileResponse:
        """Change the name and the greeting."""
        actor.require(Permission.SETTINGS_UPDATE)
        with self.db.write() as session:
            queries.lock(session)
            queries.change(session, rules.values_of(name=changes.name, greeting=changes.greeting))
        return self.show()

    def replace_logo(self, actor: Actor, data: bytes) -> ServerProfileResponse:
        """Replace the logo.

        Raises:
            PictureRefused: the image is not acceptable.
        """
        actor.require(Permission.SETTINGS_UPDATE)
        try:
            written = self.objects.write(profile_picture(data), media_type=MEDIA_TYPE)
        except UnusablePicture as reason:
            raise PictureRefused(reason.message) from None
        with on_rollback(lambda: self.objects.discard(written.id)):
            self._set_logo(written)
        return self.show()

    def remove_logo(self, actor: Actor) -> None:
        """Remove the logo, if there is one."""
        actor.require(Permission.SETTINGS_UPDATE)
        self._set_logo(None)

    def _set_logo(self, written: StoredBytes | None) -> None:
        with self.db.write() as session:
            before = queries.lock(session)
            values: dict[str, Any] = {"logo_id": written.id if written else None}
            if written:
                # Pages that nobody has signed in to show it.
                self.objects.adopt(session, written, reader=ANONYMOUS)
            queries.change(session, values)
            if before:
                object_queries.remove(session, before)
        if before:
            self.objects.discard(before)
