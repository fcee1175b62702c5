"""Log configuration: one line per event to standard error, by default colored on a terminal and JSON otherwise.

This includes what libraries log with the standard library.
"""

import logging
import sys

# structlog imports Rich for colored tracebacks, which are not used here, and works without it. Rich would be a
# twentieth of the modules that `serve` loads.
_RICH = "rich"
if _excluded := _RICH not in sys.modules:
    sys.modules[_RICH] = None  # type: ignore[assignment]

import structlog  # noqa: E402

if _excluded:
    del sys.modules[_RICH]

# Below the level WARNING, these libraries log full URLs and headers, which contain API keys.
_VERBOSE_LOGGERS = ("httpx2", "httpcore2")


# The values of the settings. The first ones are the defaults.
LEVELS = ("info", "warning", "error")
FORMATS = ("auto", "text", "json")


def configure(level: str = LEVELS[0], log_format: str = FORMATS[0]) -> None:
    """Configure logging for this process, without the messages of libraries that contain secrets."""
    is_text = sys.stderr.isatty() if log_format == "auto" else log_format == "text"
    number = logging.getLevelNamesMapping()[level.upper()]
    for name in _VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        if is_text
        else structlog.processors.JSONRenderer()
    )
    time = structlog.processors.TimeStamper(fmt="iso", utc=True)
    _configure_libraries(time, renderer, max(number, logging.WARNING))
    structlog.configure(
        processors=[structlog.processors.add_log_level, time, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # It writes a line and its end together, so that the lines of several processes do not mix.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _configure_libraries(time: structlog.typing.Processor, renderer: structlog.typing.Processor, level: int) -> None:
    """Log warnings and errors of libraries, such as uvicorn, in the same format."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name, time],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                renderer,
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
