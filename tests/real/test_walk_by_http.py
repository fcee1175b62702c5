"""The walk by HTTP that the documents print does what it says, as it is printed."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from processes.service import PATIENCE, Service

WALK = Path(__file__).parents[2] / "docs/by-http.md"


@pytest.fixture
def bash() -> str:
    """The shell, where the walk's programs are there."""
    missing = [program for program in ("bash", "curl") if shutil.which(program) is None]
    if missing:
        assert "CI" not in os.environ, f"The walk by HTTP needs {missing}."
        pytest.skip(f"THE WALK BY HTTP IS NOT TESTED: it needs {missing}.")
    return "bash"


def walk(part: int, **put_in: str) -> str:
    """Return the commands of a part as one copies them, with what a reader puts in."""
    block: str
    block = re.findall(r"^.*:\n\n((?:    .*\n|\n)+)", WALK.read_text(), re.MULTILINE)[part]
    for printed, own in put_in.items():
        assert printed in block
        block = block.replace(printed, own)
    return block


@pytest.mark.both_databases
def test_the_documented_http_commands_end_with_the_manifest(service: Service, version: Path, bash: str) -> None:
    service.start()
    commands = walk(
        0,
        **{
            "3f1f…": service.invitations[0].partition("?id=")[2],
            "localhost:3000": f"127.0.0.1:{service.port}",
            "/srv/games": str(version.parents[1]),
            "0.7.5": version.name,
        },
    )
    environment = os.environ | {"no_proxy": "*", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    walked = subprocess.run(
        [bash, "-e", "-o", "pipefail"],
        input=commands,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (walked.returncode, walked.stderr) == (0, ""), walked.stdout + walked.stderr
    assert walked.stdout.count("is done.\n") == 2
    assert '"filename":"usr/games/teeworlds"' in walked.stdout
    assert walked.stdout.splitlines()[-1].startswith('{"format":1,')


def test_the_documented_stream_prints_what_happens_until_the_service_stops(service: Service, bash: str) -> None:
    service.start()
    service.sign_up(service.invitations[0])
    token = service.post("/api/v1/user/token", {"name": "script", "acls": ["system:events:read"]})["token"]
    commands = walk(1, **{"pdt_…": token, "localhost:3000": f"127.0.0.1:{service.port}"})
    environment = os.environ | {"no_proxy": "*"}
    command = [bash, "-e", "-o", "pipefail", "-c", commands]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as script:
        printed: SimpleQueue[str] = SimpleQueue()
        threading.Thread(target=lambda stdout: printed.put(stdout.readline()), args=(script.stdout,)).start()
        for number in count():
            # Until the script is connected.
            service.post("/api/v1/requests", {"name": f"Game {number}"})
            with suppress(Empty):
                first = printed.get(timeout=0.5)
                break
        assert service.stop() == 0
        assert script.wait(PATIENCE) == 0
    assert json.loads(first)["type"] == "request.added"
