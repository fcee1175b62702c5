"""Where the web server in front has the files of games, if it is told to send them itself."""

import os
from dataclasses import dataclass
from urllib.parse import quote

from playdock.content.file_table import ServedFile
from playdock.storage.serving import Place, VersionOpener


@dataclass(frozen=True, slots=True)
class Front:
    """The web server in front. Below ``prefix`` it has each library under its id; empty if it sends no files."""

    prefix: str

    def address(self, file: ServedFile, place: Place, *, library_id: str, opener: VersionOpener) -> str | None:
        """Give where a file is that is as it was imported; None if the web server does not have it.

        Raises:
            ContentGone: the file is not as it was imported.
            PlaceAway: its library is not there.
            OSError: the disk failed.
        """
        if place.path.is_file():
            return None
        try:
            opener.check(file)
        finally:
            opener.rest()
        inside = place.path.relative_to(place.base) / file.path
        return f"{self.prefix}/{library_id}/{quote(os.fsencode(inside))}"
