"""Pure decisions: the layout of a folder, and what it lists in a layout."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from playdock.content.layouts import DEFAULT_VERSION, Entry, holds_versions
from playdock.content.releases import label_of, release_of
from playdock.domain.libraries.schemas import BackendKind


class ScannedFolder(Struct, frozen=True):
    """What is in the folder of a library, and in the folders in it that could be read, by name.

    ``partly`` is whether only a part was read.
    """

    entries: Sequence[Entry]
    contents: Mapping[str, Sequence[Entry]]
    partly: bool


class ListedGame(Struct, frozen=True):
    """A game that is listed, with the names of its versions."""

    game: str
    versions: Sequence[str]

    @property
    def title(self) -> str:
        return release_of(self.game).title

    def label(self, version: str) -> str:
        """Return what the name of a version says."""
        return label_of(self.game if version == DEFAULT_VERSION else version, game=self.game)


class LayoutCounts(Struct, frozen=True):
    """How many games have folders for their versions, how many have none, how many are files, or empty folders.

    The latter do not show a layout.
    """

    with_versions: int
    without_versions: int
    files: int
    empty: int

    @property
    def recognized(self) -> BackendKind:
        """Return the layout that suits all games; that with versions if there are none yet."""
        if not self.without_versions and not self.files:
            return BackendKind.FILESYSTEM
        return BackendKind.MIXED_FILESYSTEM if self.with_versions else BackendKind.FLAT_FILESYSTEM


def counts_of(scan: ScannedFolder) -> LayoutCounts:
    filled = {name: content for name, content in scan.contents.items() if content}
    with_versions = sum(holds_versions(name, content) for name, content in filled.items())
    files = sum(each.is_version and not each.is_folder for each in scan.entries)
    return LayoutCounts(with_versions, len(filled) - with_versions, files, len(scan.contents) - len(filled))


def listed_games(scan: ScannedFolder, backend: BackendKind) -> list[ListedGame]:
    """Return the games that a library with a layout lists, by name."""
    games = []
    for entry in sorted(scan.entries, key=lambda each: each.name.casefold()):
        if entry.is_folder and entry.name in scan.contents:
            games.append(ListedGame(entry.name, _versions(entry.name, scan.contents[entry.name], backend)))
        elif entry.is_version and not entry.is_folder and backend is not BackendKind.FILESYSTEM:
            games.append(ListedGame(entry.name, [DEFAULT_VERSION]))
    return games


def _versions(game: str, content: Sequence[Entry], backend: BackendKind) -> list[str]:
    is_flat = backend is BackendKind.MIXED_FILESYSTEM and not holds_versions(game, content)
    if is_flat or backend is BackendKind.FLAT_FILESYSTEM:
        return [DEFAULT_VERSION]
    return sorted(each.name for each in content if each.is_version)
