"""The paths of files that a reverse proxy sends itself (X-Accel-Redirect of nginx)."""

import os
from urllib.parse import quote

from msgspec import Struct

from playdock.content.file_table import ServedFile
from playdock.storage.locations import VersionLocation
from playdock.storage.openers import VersionOpener
from playdock.storage.s3_files import S3Place


class XAccel(Struct, frozen=True):
    """The reverse proxy. It serves each library at ``prefix/library_id``; ``prefix`` is empty if it sends no files."""

    prefix: str

    def redirect_path(
        self, file: ServedFile, location: VersionLocation, *, library_id: str, opener: VersionOpener
    ) -> str | None:
        """Return the proxy's path of a file, None for one in an archive or in S3, which the proxy cannot send.

        The path contains no links, so that the proxy need not follow any.

        Raises:
            ContentMismatch: the file has changed since the import.
            LocationUnavailable: the folder of its library is not available.
            OSError: the disk failed.
        """
        if isinstance(location, S3Place) or location.path.is_file():
            return None
        opener.check(file)
        return f"{self.prefix}/{library_id}/{quote(os.fsencode(f'{location.resolved_name()}/{file.path}'))}"
