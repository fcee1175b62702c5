"""Find clues to which game a version contains, in its files and in its name."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from playdock.content import evidence
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.evidence import Clue, Clues
from playdock.content.guesses import ProgramFile, guess
from playdock.storage.entries import Tree
from playdock.storage.version_resource import version_strings

# Reading the version resource of a program takes several reads; the game is usually among the first candidates.
_MAX_PROGRAMS = 3


def find_clues(tree: Tree, *, game: str, folders: Sequence[str] = ()) -> tuple[Clue, ...]:
    """Return the clues to which game a version contains, the most reliable first.

    ``game`` is the name of the game's folder. ``folders`` are other names of it in the library, such as the version's.
    Unreadable files are skipped. Errors of the version as a whole are raised (OSError, UnusableVersion).
    """
    paths = [file.path for file in tree.names()]
    return evidence.distinct(_all_clues(tree, paths, game=game, folders=folders))


def _all_clues(tree: Tree, paths: Collection[str], *, game: str, folders: Sequence[str]) -> Iterator[Clue]:
    for name in (game, *folders):
        yield from evidence.tags(name)
    yield from _readable(evidence.clue_files(paths), read=lambda path: _clues_in_file(tree, path))
    programs = _likely_programs(paths, game=game, folders=folders)
    yield from _readable(programs, read=lambda path: _clues_in_program(tree, path))
    yield from evidence.top_names(paths)
    yield from evidence.folder_name(game)


def _readable(paths: Iterable[str], *, read: Callable[[str], Clues]) -> Iterator[Clue]:
    """Yield the clues in files, skipping files that cannot be read."""
    for path in paths:
        try:
            yield from read(path)
        except (OSError, UnusableVersion, VersionChanged):
            continue


def _clues_in_file(tree: Tree, path: str) -> Clues:
    return evidence.clues_in(path, tree.head(path, length=evidence.MAX_CLUE_FILE_BYTES))


def _clues_in_program(tree: Tree, path: str) -> Clues:
    return evidence.version_resource(path, version_strings(tree, path))


def _likely_programs(paths: Iterable[str], *, game: str, folders: Sequence[str]) -> list[str]:
    """Return the Windows programs whose names match the game best, without those that match less than half as well."""
    programs = (ProgramFile(path) for path in paths if path[-4:].lower() == ".exe")
    guesses = guess(programs, heads={}, game=game, folders=folders, limit=_MAX_PROGRAMS)
    return [each.filename for each in guesses if each.match > guesses[0].match / 2]
