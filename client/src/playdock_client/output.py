"""Shows the results and failures of commands."""

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from playdock_client.errors import ClientError, NotSignedIn, RequestRefused
from playdock_client.installing import InstallOutcome
from playdock_client.screen import Document, Screen
from playdock_client.shell import Exit, InstalledGame, UsageError
from playdock_client.wording import bulleted, size


class InstallationResult(StrEnum):
    """What a command did with an installation; NOTHING if it was up to date."""

    INSTALLED = "installed"
    ADOPTED = "adopted"
    UPDATED = "updated"
    REPAIRED = "repaired"
    NOTHING = "current"


def show_outcome(screen: Screen, installed: InstalledGame, outcome: InstallOutcome, result: InstallationResult) -> None:
    """Show the result of a command that changed an installation."""
    screen.show_result(_document(installed, outcome, result), _lines(installed, outcome, result))


def _document(installed: InstalledGame, outcome: InstallOutcome, result: InstallationResult) -> Document:
    return {
        "event": result,
        "folder": str(installed.folder),
        **msgspec.to_builtins(installed.installation),
        "fetched": outcome.fetched,
        "reused": outcome.reused,
        "kept": outcome.kept,
        "aside": [{"path": path, "aside": aside} for path, aside in outcome.aside],
    }


def _lines(installed: InstalledGame, outcome: InstallOutcome, result: InstallationResult) -> Sequence[str]:
    name = installed.installation.version.title_with(installed.installation.game.name)
    cost = _transferred(
        outcome, whole=0 if result is InstallationResult.INSTALLED else installed.installation.version.installed_size
    )
    status = (
        f"up to date in {installed.folder}"
        if result is InstallationResult.NOTHING
        else f"{result} in {installed.folder}: {cost}"
    )
    return [
        f"{name} is {status}.",
        *bulleted("Your files were renamed:", [f"{path} is now {aside}" for path, aside in outcome.aside]),
        *bulleted("Files that you changed were kept:", outcome.kept),
    ]


def _transferred(outcome: InstallOutcome, *, whole: int) -> str:
    """Return how much was downloaded, and instead of how much, if that is less than `whole` bytes."""
    return f"{size(outcome.fetched)} downloaded" + (f" instead of {size(whole)}" if outcome.fetched < whole else "")


def show_failure(screen: Screen, error: ClientError, *, about: str = "") -> Exit:
    """Show why a command failed, with `about` naming the game if there are several, and return the exit status."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()
    if isinstance(error, RequestRefused) and error.type:
        kind = error.type
    screen.fail(kind, f"{about}: {error}" if about else str(error))
    match error:
        case NotSignedIn():
            return Exit.NOT_SIGNED_IN
        case UsageError():
            return Exit.MISUSED
    return Exit.FAILED
