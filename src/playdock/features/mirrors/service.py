"""Mirrors for a caller, with tickets."""

from datetime import timedelta

from msgspec import Struct

from playdock.auth import tickets
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.downloads.rules import image_etag, image_path, limits_of
from playdock.features.downloads.service import Downloads, ResolvedVersion
from playdock.features.mirrors.schemas import FileLink, FileLinks, MirrorsResponse
from playdock.kit.clock import Clock
from playdock.kit.networks import entries_of
from playdock.kit.secret_key import SecretKey
from playdock.settings import Settings
from playdock.storage.s3_files import S3Place

# Long enough for a client to fetch some gigabytes; who has a link can read one file until then.
_LINKS_LAST = timedelta(hours=1)
# What takes about as long to receive as another request.
_LARGE_FILE_BYTES = 1024 * 1024
# Some 100 KB of links. A client asks again when it has used them.
_MAX_LINKS = 200


class Mirrors(Struct, frozen=True):
    """The mirrors of the service, and links to files in S3."""

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
        version = self.downloads.resolver.resolve(version_id)
        etag, has_links = image_etag(version.etag), self._place_with_links(actor, version) is not None
        addresses = list(entries_of(self.settings.mirrors))
        if not addresses or self._is_limited(actor):
            return MirrorsResponse(mirrors=[], etag=etag, ticket=None, expires_in=None, file_links=has_links)
        expires = self.clock() + tickets.LIFETIME
        ticket = tickets.issue(secret, image_path(version_id, etag), expires=expires, key=self.secret_key)
        seconds = int(tickets.LIFETIME.total_seconds())
        return MirrorsResponse(mirrors=addresses, etag=etag, ticket=ticket, expires_in=seconds, file_links=has_links)

    def file_links(self, actor: Actor, version_id: str, *, start: int) -> FileLinks:
        """Return links to the large files of a version from an offset of its image on, none if it has no links.

        Whether the files are unchanged is not checked: the client compares every chunk with the manifest.

        Raises:
            VersionUnknown: no version has this id.
        """
        actor.require(Permission.CONTENT_READ)
        version = self.downloads.resolver.resolve(version_id)
        place, seconds = self._place_with_links(actor, version), int(_LINKS_LAST.total_seconds())
        if place is None:
            return FileLinks(links=[], until=start, expires_in=seconds)
        image = self.downloads.resolver.tables.images.get(version.chain)
        links: list[FileLink] = []
        for file, begin in image.table.files_from_byte(start):
            if len(links) == _MAX_LINKS:
                return FileLinks(links=links, until=begin, expires_in=seconds)
            if file.size >= _LARGE_FILE_BYTES and (link := place.link(file.path, seconds=seconds)):
                links.append(FileLink(start=begin, size=file.size, url=link))
        return FileLinks(links=links, until=image.size, expires_in=seconds)

    def _place_with_links(self, actor: Actor, version: ResolvedVersion) -> S3Place | None:
        """Return the place of a version's own files if they are objects that the caller may read with links."""
        place = version.places[-1]
        if not isinstance(place, S3Place) or place.is_archive or self.downloads.transfers.limits_anything(actor):
            return None
        return place

    def _is_limited(self, actor: Actor) -> bool:
        """Return whether a limit applies to this user, which only this service can enforce.

        The default number of simultaneous downloads and the rates of the service protect only this service.
        """
        return bool(limits_of(actor.user, self.settings).rate or actor.user.downloads_at_once)
