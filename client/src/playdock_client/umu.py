"""umu-launcher, which runs Windows programs on Linux with Proton: what `umu-run` is given, and how it is set up.

`umu-run` downloads its runtime and Proton when it is first used, and looks for updates later.
"""

import re
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from playdock_client.errors import CannotLaunch, ClientError
from playdock_client.launch_properties import LaunchProperties

_DEFAULT_GAME_ID, _DEFAULT_STORE = "umu-default", "none"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Addresses reserved for documentation (RFC 5737, RFC 3849); nothing is sent to them.
_ANYWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
_STOP_SECONDS = 15.0
_CHECK_SECONDS = 0.5


class CannotPrepare(ClientError):
    """umu-run could not be set up; the message says why."""


def umu_environment(
    properties: LaunchProperties, *, compat_id: str | None, prefix: Path, online: bool
) -> Mapping[str, str]:
    """Return the variables for `umu-run`. `compat_id` is the version's. Raises CannotLaunch."""
    game_id = properties.compat_id or compat_id or _DEFAULT_GAME_ID
    if _CONTROL.search(game_id):
        raise CannotLaunch("The compatibility ID from the server is invalid.")
    prefix.mkdir(parents=True, exist_ok=True)
    return {
        "GAMEID": game_id,
        "STORE": properties.store or _DEFAULT_STORE,
        "WINEPREFIX": str(prefix),
        **({"PROTONPATH": properties.proton} if properties.proton else {}),
        **({} if online else {"UMU_RUNTIME_UPDATE": "0"}),
    }


def is_online() -> bool:
    """Return whether this machine has a route to other networks. Nothing is sent."""
    for family, address in _ANYWHERE:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return True
    return False


def prepare(
    umu: str, environment: Mapping[str, str], *, output: int | None = None, check: Callable[[], None] = lambda: None
) -> None:
    """Let `umu-run` download its runtime and Proton, and create the Wine prefix. Raises CannotPrepare.

    It is ended if ``check``, which is called again and again, raises an error.
    """
    status = _run(umu, [""], environment, output=output, check=check)
    if status:
        raise CannotPrepare(
            f"umu-run could not be set up: it ended with status {status}. Check the connection to the internet and the "
            "free space of the disk, then try again."
        )


def end_prefix(umu: str, environment: Mapping[str, str]) -> None:
    """End the Windows programs of a Wine prefix, which are not all descendants of `umu-run`."""
    # The default verb of Proton would wait until they have ended.
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - umu-run, which is configured by the player
            [umu, "wineboot", "-k"],
            env={**environment, "PROTON_VERB": "runinprefix"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_STOP_SECONDS,
            check=False,
        )


def _run(
    umu: str, arguments: Sequence[str], environment: Mapping[str, str], *, output: int | None, check: Callable[[], None]
) -> int:
    try:
        process = subprocess.Popen([umu, *arguments], env=environment, stdout=output)  # noqa: S603
    except OSError as error:
        raise CannotPrepare(f"umu-run cannot be started: {error.strerror}.") from error
    with process:
        try:
            while True:
                check()
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_CHECK_SECONDS)
        finally:
            process.terminate()
