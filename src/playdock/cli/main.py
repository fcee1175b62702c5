"""The program ``playdock``."""

import sys

from playdock.kit import log_config
from playdock.kit.collection import collection_paused
from playdock.kit.errors import PlaydockError


def run() -> None:
    """Run a command. Print errors as messages without a traceback."""
    log_config.configure()
    with collection_paused():
        from playdock.cli.commands import app
    try:
        app()
    except PlaydockError as error:
        print(f"playdock: {error.detail}", file=sys.stderr)  # noqa: T201 - for the user at the terminal
        sys.exit(1)
