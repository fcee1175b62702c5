"""What libraries log has the format of all other log lines."""

import json
import subprocess
import sys

_PROGRAM = """
import logging
import structlog
from playdock.kit import log_config

log_config.configure()
logging.getLogger("uvicorn.error").info("left out")
logging.getLogger("uvicorn.error").warning("slow %s", "client")
try:
    raise ValueError("failed")
except ValueError as error:
    logging.getLogger("asyncio").error("broken", exc_info=error)
structlog.get_logger().warning("own", address="h")
"""


def test_level_and_format_are_settings() -> None:
    program = _PROGRAM.replace("configure()", 'configure("error", "text")')
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "[error    ] broken" in ended.stderr
    assert "slow client" not in ended.stderr
    assert "address" not in ended.stderr


def test_lines_of_libraries_are_structured() -> None:
    ended = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert [(line["level"], line["event"], line.get("logger")) for line in lines] == [
        ("warning", "slow client", "uvicorn.error"),
        ("error", "broken", "asyncio"),
        ("warning", "own", None),
    ]
    assert all(line["timestamp"].endswith("Z") for line in lines)
    assert lines[1]["exception"].endswith("ValueError: failed")
