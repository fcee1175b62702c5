"""Pure decisions about the import of a version."""

from collections.abc import Collection, Mapping

from playdock.content.layers import Installation
from playdock.features.version_import.schemas import VersionImportDraft
from playdock.kit.errors import Fault


def missing_commands(draft: VersionImportDraft) -> list[Fault]:
    """Name the commands that this form of import requires and that are not there (decisions 5)."""
    if draft.only_setup and not draft.setup:
        return [Fault("setup", "A set-up-only version needs the command of its installer.")]
    if not draft.only_setup and not draft.delta and not draft.launch:
        return [Fault("launch", "A version needs the command that launches the game.")]
    return []


def command_path(command: str) -> str:
    """Give the path that a command names: people write ``./start.sh`` as well as ``start.sh``."""
    return command.removeprefix("./")


def commands(draft: VersionImportDraft) -> dict[str, str]:
    """Give the paths that the commands name, by field."""
    named = {"launch": draft.launch, "setup": draft.setup}
    return {field: command_path(command) for field, command in named.items() if command}


def absent_commands(commands: Collection[str], present: Collection[str]) -> list[str]:
    """Say of commands, but for empty ones, that a version has no such file."""
    return [_absence(path) for path in commands if path and path not in present]


def absences(missing: Mapping[str, str]) -> list[Fault]:
    """Say of commands, by field, that the version has no such file."""
    return [Fault(field, _absence(path)) for field, path in missing.items()]


def _absence(path: str) -> str:
    return f"The version has no file {path}."


def paths_of(installation: Installation) -> set[str]:
    files = {file.record.path for file in installation.files}
    return files | {link.path for link in installation.links}
