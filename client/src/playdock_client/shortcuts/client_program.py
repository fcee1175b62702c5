"""The command that starts this client, as shortcuts contain it."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PROGRAM_VARIABLE = "PLAYDOCK_CLIENT_PROGRAM"
_NAMES = ("playdock-client", "playdock-client.exe")


def client_program(environment: Mapping[str, str]) -> Sequence[str]:
    """Return the command that starts this client.

    A launcher that selects one of several installed versions sets its own path in the environment, so that shortcuts
    outlive updates.
    """
    if program := environment.get(PROGRAM_VARIABLE):
        return [program]
    if getattr(sys, "frozen", False):
        return [sys.executable]
    started = Path(sys.argv[0])
    if started.name in _NAMES and started.is_absolute():
        return [str(started)]
    script = next((each for name in _NAMES if (each := Path(sys.executable).with_name(name)).is_file()), None)
    return [str(script)] if script else [sys.executable, "-m", "playdock_client"]
