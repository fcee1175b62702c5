"""What is told of an installation when something was done with it."""

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from playdock_client.errors import ClientError, NotSignedIn, Refused
from playdock_client.installing import Outcome
from playdock_client.screen import Document, Screen
from playdock_client.shell import Exit, InstalledGame, Misused
from playdock_client.wording import listed, size


class Done(StrEnum):
    """What was done with an installation; nothing, when it was as it should be."""

    INSTALLED = "installed"
    ADOPTED = "adopted"
    UPDATED = "updated"
    REPAIRED = "repaired"
    NOTHING = "current"


def tell_outcome(screen: Screen, there: InstalledGame, outcome: Outcome, done: Done) -> None:
    """Give the answer of a command that changed an installation."""
    screen.answer(_document(there, outcome, done), _lines(there, outcome, done))


def _document(there: InstalledGame, outcome: Outcome, done: Done) -> Document:
    return {
        "event": done,
        "folder": str(there.folder),
        **msgspec.to_builtins(there.installation),
        "fetched": outcome.fetched,
        "reused": outcome.reused,
        "kept": outcome.kept,
        "aside": [{"path": path, "aside": aside} for path, aside in outcome.aside],
    }


def _lines(there: InstalledGame, outcome: Outcome, done: Done) -> Sequence[str]:
    name = f"{there.installation.game.name} {there.installation.version.name}"
    cost = _cost(outcome, whole=0 if done is Done.INSTALLED else there.installation.version.installed_size)
    told = f"up to date in {there.folder}" if done is Done.NOTHING else f"{done} in {there.folder}: {cost}"
    return [
        f"{name} is {told}.",
        *listed("Files of yours were put aside:", [f"{path} is now {aside}" for path, aside in outcome.aside]),
        *listed("Files that you changed stay as they are:", outcome.kept),
    ]


def _cost(outcome: Outcome, *, whole: int) -> str:
    """Tell what came over the network, and what would have without the `whole` bytes that were there."""
    return f"{size(outcome.fetched)} fetched" + (f" instead of {size(whole)}" if outcome.fetched < whole else "")


def tell_failure(screen: Screen, error: ClientError, *, about: str = "") -> Exit:
    """Tell why a command failed, where it had more to do `about` what, and give the status to exit with."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()
    if isinstance(error, Refused) and error.type:
        kind = error.type
    screen.fail(kind, f"{about}: {error}" if about else str(error))
    match error:
        case NotSignedIn():
            return Exit.NOT_SIGNED_IN
        case Misused():
            return Exit.MISUSED
    return Exit.FAILED
