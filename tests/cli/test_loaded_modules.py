"""``serve`` does not load what only some commands, pages or imports need."""

import socket
import subprocess
import sys

from .conftest import Prompt, add_ada

# Runs `serve` up to the point at which the server would listen.
_PROGRAM = """
import sys
import uvicorn

uvicorn.Server.run = lambda *_arguments, **_options: print(*sys.modules)

from playdock.cli.main import run

run()
"""
_NOT_LOADED = {
    "PIL": "images",
    "alembic": "upgrades of the database",
    "apprise": "sending to chat services",
    "cryptography": "OpenID and invitations",
    "httpx2": "requests to other servers",
    "joserfc": "OpenID",
    "nh3": "imports of games",
    "markdownify": "imports of games",
    "obstore": "services with objects in S3",
    "pefile": "imports of games",
    "playdock.cli.doctor": "another command",
    "playdock.cli.people": "another command",
    "prometheus_client": "services with metrics",
    "psycopg": "PostgreSQL",
    "pygments": "Rich",
    "rich": "other commands",
    "smtplib": "sending email",
    "sqlalchemy.dialects.postgresql": "PostgreSQL",
    "zxcvbn_rs_py": "services that refuse weak passwords",
}


def test_serve_loads_no_modules_that_are_not_always_needed(settled: Prompt) -> None:
    assert settled.run("invite").status == 0  # creates the database, which loads Alembic
    add_ada(settled, admin=True)  # without users, `serve` creates an invitation, which it encrypts
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    served = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "serve", "--port", str(port)],
        env=settled.environment,
        cwd=settled.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(served.stdout.splitlines()[-1].split())

    assert "playdock.web.app" in loaded
    assert loaded & set(_NOT_LOADED) == set()
