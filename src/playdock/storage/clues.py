"""Finding the clues to which game a version is, in what it holds and in how it is called."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from playdock.content import evidence
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.evidence import Clue, Clues
from playdock.content.guesses import Candidate, guess
from playdock.storage.entries import Tree
from playdock.storage.version_resource import version_strings

_MOST_PROGRAMS = 3


def find_clues(tree: Tree, *, game: str, folders: Sequence[str] = ()) -> tuple[Clue, ...]:
    """Look for what tells which game a version is; what is surest comes first.

    `game`: the name of the game's folder. `folders`: other names it goes by in the library, as its version's. A file
    that cannot be read tells nothing; what the version as a whole fails with goes through (OSError, UnusableVersion).
    """
    paths = [file.path for file in tree.names()]
    return evidence.distinct(_found(tree, paths, game=game, folders=folders))


def _found(tree: Tree, paths: Collection[str], *, game: str, folders: Sequence[str]) -> Iterator[Clue]:
    for name in (game, *folders):
        yield from evidence.tags(name)
    yield from _told(evidence.wanted(paths), by=lambda path: _told_by_file(tree, path))
    yield from _told(_likeliest(paths, game=game, folders=folders), by=lambda path: _told_by_program(tree, path))
    yield from evidence.top_names(paths)
    yield from evidence.folder_name(game)


def _told(paths: Iterable[str], *, by: Callable[[str], Clues]) -> Iterator[Clue]:
    for path in paths:
        try:
            yield from by(path)
        except (OSError, UnusableVersion, VersionChanged):
            continue


def _told_by_file(tree: Tree, path: str) -> Clues:
    return evidence.clues_in(path, tree.head(path, length=evidence.LONGEST))


def _told_by_program(tree: Tree, path: str) -> Clues:
    return evidence.version_resource(path, version_strings(tree, path))


def _likeliest(paths: Iterable[str], *, game: str, folders: Sequence[str]) -> list[str]:
    """The Windows programs that by their names start the game, and none that is much less likely than the first."""
    programs = (Candidate(path) for path in paths if path[-4:].lower() == ".exe")
    guesses = guess(programs, heads={}, game=game, folders=folders, limit=_MOST_PROGRAMS)
    return [each.filename for each in guesses if each.match > guesses[0].match / 2]
