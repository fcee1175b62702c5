"""Mirrors for a caller, with tickets."""

from msgspec import Struct

from playdock.auth import tickets
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.downloads.rules import image_etag, image_path, limits_of
from playdock.features.downloads.service import Downloads
from playdock.features.mirrors.schemas import MirrorsResponse
from playdock.kit.clock import Clock
from playdock.kit.networks import entries_of
from playdock.kit.secret_key import SecretKey
from playdock.settings import Settings


class Mirrors(Struct, frozen=True):
    """The mirrors of the service."""

    downloads: Downloads
    clock: Clock
    settings: Settings
    secret_key: SecretKey

    def of_version(self, actor: Actor, version_id: str, *, secret: str) -> MirrorsResponse:
        """Return the mirrors of a version, and a ticket that is valid as long as the caller's ``secret`` at most.

        Raises:
            VersionUnknown: no version has this id.
        """
        actor.require(Permission.CONTENT_READ)
        etag = image_etag(self.downloads.version(actor, version_id).manifest_etag)
        addresses = list(entries_of(self.settings.mirrors))
        if not addresses or self._is_limited(actor):
            return MirrorsResponse(mirrors=[], etag=etag, ticket=None, expires_in=None)
        expires = self.clock() + tickets.LIFETIME
        ticket = tickets.issue(secret, image_path(version_id, etag), expires=expires, key=self.secret_key)
        seconds = int(tickets.LIFETIME.total_seconds())
        return MirrorsResponse(mirrors=addresses, etag=etag, ticket=ticket, expires_in=seconds)

    def _is_limited(self, actor: Actor) -> bool:
        """Return whether a limit applies to this user, which only this service can enforce.

        The default number of simultaneous downloads and the rates of the service protect only this service.
        """
        return bool(limits_of(actor.user, self.settings).rate or actor.user.downloads_at_once)
