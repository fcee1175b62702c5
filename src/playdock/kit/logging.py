"""Logs: one line an event, to standard error, in colour on a terminal and as JSON elsewhere."""

import logging
import sys

import structlog

# These write whole addresses and headers, with the keys in them, for whoever listens to their quieter levels.
_TALKATIVE = ("httpx2", "httpcore2")


def configure() -> None:
    """Set logs up for this process; what libraries would tell of addresses and headers is kept from all of them."""
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
