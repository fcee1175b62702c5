"""``/api/v1/admin/library/folders`` and ``/api/v1/admin/library/preview``: choosing a folder for a library."""

from msgspec import UNSET

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.library_preview.rules import ListedGame
from playdock.features.library_preview.schemas import (
    BrowsedFolder,
    FolderListing,
    FolderQuery,
    LibraryPreview,
    LibraryPreviewQuery,
    PreviewedGame,
    PreviewedVersion,
)
from playdock.features.library_preview.service import LibraryPreviews
from playdock.server.routing import get

_MAX_GAMES = 60
_MAX_VERSIONS = 20


@get("/api/v1/admin/library/folders", requires=Permission.SOURCES_NEW, touches_disk=True)
def browse_folders(query: FolderQuery, actor: Actor, library_previews: LibraryPreviews) -> FolderListing:
    """List the folders in a folder of the server that could be libraries."""
    page = library_previews.browse(actor, query.path, text=query.q)
    # Several roots may have the same name.
    folders = [BrowsedFolder(name=each.name if page.path else str(each), path=str(each)) for each in page.folders]
    return FolderListing(path=page.path, parent=page.parent, folders=folders, more=page.more)


@get("/api/v1/admin/library/preview", requires=Permission.SOURCES_NEW, touches_disk=True)
def preview_library(query: LibraryPreviewQuery, actor: Actor, library_previews: LibraryPreviews) -> LibraryPreview:
    """Show what a library in a folder would contain, without adding it."""
    found = library_previews.preview(actor, query.path, None if query.backend is UNSET else query.backend)
    return LibraryPreview(
        recognized=found.recognized,
        backend=found.backend,
        total=len(found.games),
        versions=sum(len(each.versions) for each in found.games),
        with_versions=found.counts.with_versions,
        without_versions=found.counts.without_versions,
        files=found.counts.files,
        empty=found.counts.empty,
        partly=found.partly,
        games=[_described(each) for each in found.games[:_MAX_GAMES]],
    )


def _described(listed: ListedGame) -> PreviewedGame:
    versions = [PreviewedVersion(name=name, label=listed.label(name)) for name in listed.versions[:_MAX_VERSIONS]]
    return PreviewedGame(game=listed.game, title=listed.title, versions=versions)


ROUTES = (browse_folders, preview_library)
