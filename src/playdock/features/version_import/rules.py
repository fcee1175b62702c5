"""Pure decisions about the import of a version."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from playdock.content.guesses import LaunchGuess
from playdock.content.layers import Installation
from playdock.content.layouts import DEFAULT_VERSION
from playdock.content.names import printable
from playdock.content.naming import title, version_key, words
from playdock.content.programs import SETUP_WORDS, stem_of, suffix_of
from playdock.content.releases import label_of as label_in_name
from playdock.content.releases import release_of, reported_version
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message, parameters_of
from playdock.stored import VersionProposal


class LayeredVersion(Protocol):
    """A version and the id of its base."""

    id: str
    base_id: str | None


class VersionCommands(Protocol):
    """A version with its commands."""

    game_id: str
    name: str
    beside: bool
    delta: bool
    platform: str
    only_setup: bool
    launch: str
    launch_args: str
    setup: str
    setup_args: str
    compat_id: str | None


class NameOnDisk(Struct, frozen=True):
    """The name of a version on disk, and whether it is beside the folder of its game."""

    name: str
    beside: bool = False


# The suffixes that Chrome, Opera, µTorrent, qBittorrent and aria2, and before that Firefox and wget, give to downloads.
_DOWNLOADS = frozenset(("crdownload", "opdownload", "!ut", "!qb", "aria2"))
_DOWNLOADS_OF_FILES = frozenset(("part", "partial"))
_Version = TypeVar("_Version", bound=LayeredVersion)


def is_one_missing(imported: Collection[str], listed: Collection[str]) -> bool:
    """Return whether a version in the folder of a game is missing there: a new one may be that one, renamed."""
    return not set(imported) <= set(listed)


def missing_commands(data: VersionImportRequest) -> list[FieldError]:
    """Return an error for a command that is required but missing."""
    if data.only_setup and not data.setup:
        return [FieldError("setup", Message("setup-required"))]
    if not data.only_setup and not data.delta and not data.launch:
        return [FieldError("launch", Message("launch-required"))]
    return []


def command_path(command: str) -> str:
    """Return the path of a command: ``./start.sh`` is the same as ``start.sh``."""
    return command.removeprefix("./")


def commands(data: VersionImportRequest) -> dict[str, str]:
    """Return the paths of the given commands, by field."""
    named = {"launch": data.launch, "setup": data.setup}
    return {field: command_path(command) for field, command in named.items() if command}


def absent_commands(commands: Collection[str], present: Collection[str]) -> list[Message]:
    """Return a message for each non-empty command that is not a file of the version."""
    return [_absence(path) for path in commands if path and path not in present]


def absences(missing: Mapping[str, str]) -> list[FieldError]:
    """Return an error for each command, by field, that is not a file of the version."""
    return [FieldError(field, _absence(path)) for field, path in missing.items()]


def _absence(path: str) -> Message:
    return Message("no-such-file", path=path)


def present(paths: Collection[str], installation: Installation) -> set[str]:
    """Return those of some paths that are a file or link of an installation."""
    there = chain((file.record.path for file in installation.files), (link.path for link in installation.links))
    return {path for path in there if path in paths}


def deltas_above(versions: Iterable[_Version], version_id: str) -> Iterator[_Version]:
    """Yield the deltas above a version, directly or indirectly, each after its base."""
    deltas = [version for version in versions if version.base_id]
    pending = [version_id]
    while pending:
        base = pending.pop()
        for delta in deltas:
            if delta.base_id == base:
                yield delta
                pending.append(delta.id)


def label_of(game: str, version: str, reported: Mapping[str, str]) -> str:
    """Return the version and the store according to a name on disk, or to the version resource of the program.

    ``game`` is the name of the game's folder, which names the only version of a game without folders for versions.
    """
    name = full_name(game, version)
    release = release_of(name)
    if release.version:
        return label_in_name(name, game=game)
    return replace(release, version=reported_version(reported)).label


def label_after(label: str | None, *, old: str, new: str) -> str | None:
    """Return the label of a version after its name has changed; ``old`` and ``new`` are what the names say.

    A label that the old name did not say is that of its program.
    """
    return new if new or label == old else label


def comes_after(new: NameOnDisk, other: VersionCommands, *, game: str) -> bool:
    """Return whether the name of a version comes after that of another version of the game.

    Names of folders of the library have titles, which names in the game's folder often lack: of these, only the numbers
    are compared.
    """
    if new.beside or other.beside or DEFAULT_VERSION in (new.name, other.name):
        return is_older(full_name(game, other.name), full_name(game, new.name))
    return version_key(other.name) < version_key(new.name)


def full_name(game: str, version: str) -> str:
    """Return the name on disk that says which version it is: that of the game's folder if this is the only version."""
    return game if version == DEFAULT_VERSION else version


def request_of(game_id: str, proposal: VersionProposal) -> VersionImportRequest:
    """Return the request that imports a version as proposed."""
    return VersionImportRequest(
        id=game_id,
        version=proposal.version,
        platform=proposal.platform,
        delta=False,
        only_setup=proposal.only_setup,
        launch=proposal.launch,
        setup=proposal.setup,
        setup_args=proposal.setup_args,
    )


def count_older(names: Sequence[str], new: str) -> int:
    """Return after how many of a game's versions, oldest first, a new one comes.

    It is the newest, except if versions at the end have names with newer numbers: otherwise everybody who has one of
    these would get the older one as an update.
    """
    count = len(names)
    while count and is_older(new, names[count - 1]):
        count -= 1
    return count


def is_older(name: str, other: str) -> bool:
    """Return whether a name has an older number than another one; False unless both have numbers."""
    number, other_number = release_of(name).version, release_of(other).version
    return bool(number and other_number) and version_key(number) < version_key(other_number)


def newest_by_platform(versions: Iterable[VersionCommands]) -> list[VersionCommands]:
    """Return the last one of the versions for each platform; ``versions`` are in their order, oldest first."""
    return list({each.platform: each for each in versions}.values())


def request_after(previous: VersionCommands, version: str, has: Callable[[str], bool]) -> VersionImportRequest | None:
    """Return the request that imports a version like the one before it; None if it does not have its commands.

    ``has`` returns whether a path is a file of the version. The program of a loose installer has the version in its
    name, so that of the new one is another.
    """
    if previous.delta:
        return None
    if all(map(has, filter(None, (previous.launch, previous.setup)))):
        return request_like(previous, version=version)
    if previous.only_setup and has(version) and title(version) == title(previous.setup):
        return replace(request_like(previous, version=version), setup=version)
    return None


def why_unlike(
    newest: Sequence[VersionCommands], older: Sequence[VersionCommands], has: Callable[[str], bool]
) -> Message:
    """Return why no request follows from those of the newest versions that are ``older`` than a version."""
    if not newest:
        return Message("version-first")
    if not older:
        return Message("version-not-newer")
    previous = older[0]
    if previous.delta:
        return Message("version-after-delta")
    if previous.only_setup and previous.setup == previous.name:
        return Message("version-other-installer", program=previous.setup)
    programs = filter(None, (previous.launch, previous.setup))
    return Message("version-without-program", program=next((each for each in programs if not has(each)), ""))


def request_like(previous: VersionCommands, *, version: str) -> VersionImportRequest:
    """Return the request that imports a version with the commands of the one before it."""
    return VersionImportRequest(
        id=previous.game_id,
        version=version,
        platform=previous.platform,
        delta=False,
        only_setup=previous.only_setup,
        launch=previous.launch,
        launch_args=previous.launch_args,
        setup=previous.setup,
        setup_args=previous.setup_args,
        compat_id=previous.compat_id,
    )


def incompleteness(paths: Sequence[str]) -> Message | None:
    """Return why a version with these files should not be imported yet, None if it may be complete."""
    if not paths:
        return Message("version-without-files")
    unfinished = next((path for path in paths if _is_unfinished(path)), None)
    return Message("download-unfinished", path=printable(unfinished)) if unfinished else None


def _is_unfinished(path: str) -> bool:
    """Return whether a download program is still writing a file, or has left it.

    Some games have files with the suffix `.part` themselves, without another one before it.
    """
    name, _, suffix = path.rpartition("/")[2].rpartition(".")
    return suffix.lower() in _DOWNLOADS or (suffix.lower() in _DOWNLOADS_OF_FILES and "." in name.strip("."))


def propose(version: str, guesses: Sequence[LaunchGuess]) -> VersionProposal:
    """Choose the command that launches a version, or if it has only an installer, the one that sets it up."""
    likely = [guess for guess in guesses if guess.match > 0]
    if not likely:
        return without_proposal(version, Message("no-program-found"))
    game = next((guess for guess in likely if not _is_installer(guess.filename)), None)
    if game is not None:
        return VersionProposal(version=version, platform=game.platform, launch=game.filename, match=game.match)
    return VersionProposal(
        version=version,
        platform=likely[0].platform,
        only_setup=True,
        setup=likely[0].filename,
        match=likely[0].match,
    )


def without_proposal(version: str, remark: Message) -> VersionProposal:
    """Return the proposal for a version that cannot be imported without changes, with the reason."""
    return VersionProposal(
        version=version, remark=str(remark), remark_code=remark.code, remark_parameters=parameters_of(remark)
    )


def _is_installer(filename: str) -> bool:
    return suffix_of(filename.rpartition("/")[2]) == "msi" or not SETUP_WORDS.isdisjoint(words(stem_of(filename)))
