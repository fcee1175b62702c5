"""The program ``playdock``."""

import sys
from typing import NoReturn

from playdock.kit import log_config
from playdock.kit.collection import collection_paused
from playdock.kit.errors import PlaydockError
from playdock.kit.storage_failures import retryable_storage_failure


def run() -> None:
    """Run a command. Print errors, and failures of the disk and the database, as messages without a traceback."""
    log_config.configure()
    with collection_paused():
        from playdock.cli.commands import app
        from playdock.db.failures import unavailability
    try:
        app()
    except PlaydockError as error:
        _fail(error.detail)
    except Exception as error:
        unavailable, failure = unavailability(error), retryable_storage_failure(error)
        if unavailable:
            _fail(unavailable.detail)
        if failure:
            _fail(failure)
        raise


def _fail(detail: str) -> NoReturn:
    print(f"playdock: {detail}", file=sys.stderr)  # noqa: T201 - for the user at the terminal
    sys.exit(1)
