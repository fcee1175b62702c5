"""The program ``playdock``."""

import sys

from playdock.kit import log_config
from playdock.kit.collection import collection_paused


def run() -> None:
    """Run a command. Print errors as messages without a traceback, except those of the program itself."""
    log_config.configure()
    with collection_paused():
        from playdock.cli.commands import app
    try:
        app()
    except Exception as error:
        from playdock.cli.failures import message_of

        message = message_of(error)
        if message is None:
            raise
        print(f"playdock: {message}", file=sys.stderr)  # noqa: T201 - for the user at the terminal
        sys.exit(1)
