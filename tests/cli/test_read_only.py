"""Commands on a data folder that is really mounted read-only."""

import os
import subprocess
from contextlib import closing

import pytest
from sqlalchemy import text

from processes.service import free_port

from .conftest import PROGRAM, Prompt, is_sentence

_IN_OWN_MOUNTS = ["unshare", "-rm", "sh", "-c"]


def _run(prompt: Prompt, *command: str) -> subprocess.CompletedProcess[str]:
    folder = prompt.environment["DATA_DIR"]
    mount = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}"
    if subprocess.run([*_IN_OWN_MOUNTS, mount], check=False, capture_output=True).returncode:
        pytest.skip("This system does not let us mount a folder.")
    return subprocess.run(
        [*_IN_OWN_MOUNTS, f'{mount} && exec "$@"', "sh", PROGRAM, *command],
        env={**os.environ, "METADATA_PROVIDERS": "none", **prompt.environment},
        cwd=prompt.folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_database_that_cannot_be_written_is_reported(settled: Prompt) -> None:
    """SQLite can read a database in a read-only folder while another program has it open."""
    with closing(settled.services()) as services, services.db.read() as session:
        session.execute(text("SELECT 1"))
        invited, served = _run(settled, "invite"), _run(settled, "serve", "--port", str(free_port()))

    for ended in (invited, served):
        assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
        assert is_sentence(ended.stderr), ended.stderr
        assert "read-only" in ended.stderr


def test_a_database_that_cannot_be_opened_is_reported(settled: Prompt) -> None:
    ended = _run(settled, "invite")

    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert is_sentence(ended.stderr), ended.stderr
