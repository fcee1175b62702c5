"""The health check of the image, run as it is written there, against a real service."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from architecture.source import ROOT
from databases import SqliteDatabases
from processes.service import PATIENCE, Service

_PORT = "3000"
_COMMAND = re.compile(r"^HEALTHCHECK .*? CMD (\[.*?\])$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def service(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "data").mkdir()
    service = Service(tmp_path, sqlite_databases.blank(tmp_path / "data"))
    yield service
    service.end()


def _is_healthy(service: Service) -> bool:
    found = _COMMAND.search((ROOT / "Containerfile").read_text())
    assert found
    program, *arguments = msgspec.json.decode(found[1].replace("\\\n", ""), type=list[str])
    assert (program, arguments[-1].count(_PORT)) == ("python3", 1)
    arguments[-1] = arguments[-1].replace(_PORT, str(service.port))
    command = [sys.executable, *arguments]
    done = subprocess.run(command, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False)
    return done.returncode == 0


def test_a_service_that_is_ready_is_healthy(service: Service) -> None:
    assert not _is_healthy(service)
    service.start()
    assert _is_healthy(service)
