"""The walk by HTTP that the documents print does what it says, as it is printed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from processes.service import PATIENCE, Service

pytestmark = pytest.mark.both_databases

WALK = Path(__file__).parents[2] / "docs/by-http.md"


@pytest.fixture
def bash() -> str:
    """The shell, where the walk's programs are there."""
    missing = [program for program in ("bash", "curl") if shutil.which(program) is None]
    if missing:
        assert "CI" not in os.environ, f"The walk by HTTP needs {missing}."
        pytest.skip(f"THE WALK BY HTTP IS NOT TESTED: it needs {missing}.")
    return "bash"


def walk(**put_in: str) -> str:
    """Return the commands as one copies them, with what a reader puts in."""
    block: str
    [block] = re.findall(r"^.*:\n\n((?:    .*\n|\n)+)", WALK.read_text(), re.MULTILINE)
    for printed, own in put_in.items():
        assert printed in block
        block = block.replace(printed, own)
    return block


def test_the_documented_http_commands_end_with_the_manifest(service: Service, version: Path, bash: str) -> None:
    service.start()
    commands = walk(
        **{
            "3f1f…": service.invitations[0].partition("?id=")[2],
            "localhost:3000": f"127.0.0.1:{service.port}",
            "/srv/games": str(version.parents[1]),
            "0.7.5": version.name,
        }
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
