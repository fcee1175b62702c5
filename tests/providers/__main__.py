"""Start all stand-ins for a demonstration and print how to start Playdock with them; they run until interrupted."""

import argparse
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from providers.giantbomb import GiantBombStandIn
from providers.igdb import IgdbStandIn
from providers.pcgamingwiki import PCGamingWikiStandIn
from providers.standin import StandIn
from providers.steam import SteamStandIn
from providers.steamgriddb import SteamGridDbStandIn

_STANDINS: Sequence[type[StandIn]] = (
    SteamStandIn,
    IgdbStandIn,
    GiantBombStandIn,
    PCGamingWikiStandIn,
    SteamGridDbStandIn,
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m providers", description=__doc__)
    parser.add_argument("--port-base", type=int, default=7000, help="the first of the ports; 0 takes any that are free")
    base = parser.parse_args().port_base
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as running:
        for number, kind in enumerate(_STANDINS):
            standin = running.enter_context(kind(base and base + number))
            for name, value in standin.settings.items():
                sys.stdout.write(f"export {name.upper()}={shlex.quote(value)}\n")
        sys.stdout.write("# The providers run until you press Ctrl+C.\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
