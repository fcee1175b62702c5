"""Browsing the server's folders, and previews of libraries."""

from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.libraries.schemas import BackendKind
from playdock.features.library_preview import rules
from playdock.features.library_preview.rules import LayoutCounts, ListedGame, ScannedFolder
from playdock.features.library_preview.schemas import MAX_FOLDERS
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.storage.backends import entries_in
from playdock.storage.browsing import FolderBrowser, FolderPage
from playdock.storage.library_policy import LibraryPolicy, LocationUnusable
from playdock.storage.locations import VersionLocation

# More games than that are hardly in one folder, and reading them may take seconds on a network share.
_MAX_ENTRIES = 10_000
# Each folder is one more read, about 10 ms on a network share.
_MAX_SCANNED = 400
# The layout shows in the first names; folders with more are games.
_MAX_CONTENT = 200


class Preview(Struct, frozen=True):
    """What a library would contain in a layout."""

    recognized: BackendKind
    backend: BackendKind
    counts: LayoutCounts
    games: list[ListedGame]
    partly: bool


class LibraryPreviews(Struct, frozen=True):
    """Browses folders and previews libraries."""

    policy: LibraryPolicy

    def browse(self, actor: Actor, path: str, *, text: str) -> FolderPage:
        """Return the folders in a folder whose names contain a text.

        Raises:
            InvalidInput: the folder cannot be read, or must not be a library, with the reason.
        """
        actor.require(Permission.SOURCES_NEW)
        browser = FolderBrowser(self.policy)
        if not path:
            return browser.roots()
        try:
            return browser.folders_in(Path(path), text=text, most=MAX_FOLDERS)
        except LocationUnusable as reason:
            raise InvalidInput([FieldError("path", reason.message)]) from None

    def preview(self, actor: Actor, path: str, backend: BackendKind | None) -> Preview:
        """Return what a library in a folder would contain, in the recognized layout unless another is given.

        Raises:
            InvalidInput: the folder cannot be read, or must not be a library, with the reason.
        """
        actor.require(Permission.SOURCES_NEW)
        if backend is BackendKind.S3:
            raise InvalidInput([FieldError("backend", Message("preview-only-folders"))])
        try:
            scan = self._scan(Path(path))
        except LocationUnusable as reason:
            raise InvalidInput([FieldError("path", reason.message)]) from None
        counts = rules.counts_of(scan)
        assumed = backend or counts.recognized
        return Preview(counts.recognized, assumed, counts, rules.listed_games(scan, assumed), scan.partly)

    def _scan(self, folder: Path) -> ScannedFolder:
        entries = entries_in(VersionLocation(folder, "", self.policy), most=_MAX_ENTRIES + 1)
        folders = sorted(each.name for each in entries if each.is_folder)
        contents = {}
        for name in folders[:_MAX_SCANNED]:
            # It cannot be read, and would not be listed.
            with suppress(LocationUnusable):
                contents[name] = entries_in(VersionLocation(folder, name, self.policy), most=_MAX_CONTENT)
        partly = len(entries) > _MAX_ENTRIES or len(folders) > _MAX_SCANNED
        return ScannedFolder(entries[:_MAX_ENTRIES], contents, partly)
