"""Reading the programs of a version, to guess how it is launched or set up."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.guesses import LaunchGuess, ProgramFile, guess, shortlist
from playdock.content.programs import HEAD_SIZE
from playdock.features.version_import import rules
from playdock.storage.entries import Tree
from playdock.storage.installer_tree import silent_arguments
from playdock.stored import VersionProposal

_EXECUTABLE = 0o111


def guesses_of(tree: Tree, *, game: str, folders: Sequence[str]) -> list[LaunchGuess]:
    """Guess the commands of a version, best guess first.

    Raises:
        OSError, UnusableVersion: the version cannot be read.
    """
    return _guesses_among(_files_of(tree), tree, game=game, folders=folders)


def _files_of(tree: Tree) -> list[ProgramFile]:
    return [ProgramFile(file.path, bool(file.mode & _EXECUTABLE)) for file in tree.names()]


def _guesses_among(files: Sequence[ProgramFile], tree: Tree, *, game: str, folders: Sequence[str]) -> list[LaunchGuess]:
    heads = {}
    for path in shortlist(files, game=game, folders=folders):
        try:
            heads[path] = tree.head(path, length=HEAD_SIZE)
        except (OSError, UnusableVersion, VersionChanged):
            continue
    return guess(files, heads=heads, game=game, folders=folders)


def propose(tree: Tree, version: str, *, game: str, folders: Sequence[str]) -> VersionProposal:
    """Return how a version could be imported. Raises OSError and UnusableVersion if it cannot be read."""
    files = _files_of(tree)
    if reason := rules.incompleteness([file.path for file in files]):
        return rules.without_proposal(version, reason)
    proposal = rules.propose(version, _guesses_among(files, tree, game=game, folders=folders))
    if not proposal.only_setup:
        return proposal
    with suppress(OSError, UnusableVersion, VersionChanged):
        return replace(proposal, setup_args=silent_arguments(tree, proposal.setup))
    return proposal
