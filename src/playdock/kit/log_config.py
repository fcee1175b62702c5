"""Log configuration: one line per event to standard error, colored on a terminal and JSON otherwise.

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


def configure() -> None:
    """Configure logging for this process, without the messages of libraries that contain secrets."""
    for name in _VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    time = structlog.processors.TimeStamper(fmt="iso", utc=True)
    _configure_libraries(time, renderer)
    structlog.configure(
        processors=[structlog.processors.add_log_level, time, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _configure_libraries(time: structlog.typing.Processor, renderer: structlog.typing.Processor) -> None:
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
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
