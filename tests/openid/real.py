"""A certified OpenID provider, which the tests run with Node.js on loopback."""

import json
import os
import selectors
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parent / "provider"
_TIMEOUT_SECONDS = 120.0
_ATTEMPTS = 3
CLIENT_ID = "playdock"
CLIENT_SECRET = "a-secret-between-the-service-and-its-provider"


@dataclass(frozen=True, slots=True)
class RealProvider:
    """Controls the provider through its standard input and output (``provider/server.mjs``)."""

    process: subprocess.Popen[str]
    issuer: str

    @property
    def discovery(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"

    def serve(self, service: str, **metadata: Any) -> None:
        """Register the service at this address as the only client."""
        client = {
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "redirect_uris": [f"{service}/auth/callback/oidc"],
            "post_logout_redirect_uris": [service],
            **metadata,
        }
        self._send(client=client)

    def know(self, **accounts: dict[str, Any]) -> None:
        """Set the accounts: their logins, which are also their ``sub``, and their claims."""
        self._send(accounts=accounts)

    def put_claims_into_id_tokens(self, *, options: bool) -> None:
        """Select whether claims are in the ID token or only in the userinfo."""
        self._send(claimsInIdToken=options)

    def rotate_keys(self) -> None:
        """Replace all signing keys."""
        self._send(rotate=True)

    def _send(self, **changes: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(changes) + "\n")
        self.process.stdin.flush()
        _read_line(self.process)


def find_node() -> str | None:
    """Return the path of Node.js if it and the packages of the provider are installed."""
    return shutil.which("node") if (_FOLDER / "node_modules" / "oidc-provider").is_dir() else None


def require_node() -> str:
    node = find_node()
    if node is None:
        missing = "Node.js or the packages of the OpenID provider are missing: install node and npm, then `make test`."
        assert "CI" not in os.environ, missing
        pytest.skip(f"NOTHING IS TESTED AGAINST A REAL OPENID PROVIDER: {missing}")
    return node


@contextmanager
def running_provider(node: str, *, port: int = 0) -> Iterator[RealProvider]:
    """Run the provider on a port, 0 for any free one."""
    process = _start_process(node, port)
    try:
        yield RealProvider(process, _read_line(process)["issuer"])
    finally:
        _stop_process(process)


def _start_process(node: str, port: int) -> subprocess.Popen[str]:
    """Start the provider and wait for its first line; a process that writes none in time is replaced.

    On CI, Node.js once hung at its start until the test timed out.
    """
    for _ in range(_ATTEMPTS):
        process = subprocess.Popen(
            [node, "server.mjs", str(port)],
            cwd=_FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            ready = selector.select(_TIMEOUT_SECONDS)
        if ready:
            return process
        process.kill()
        process.communicate()
    message = f"The OpenID provider did not start within {_TIMEOUT_SECONDS:.0f} seconds, {_ATTEMPTS} times."
    raise TimeoutError(message)


def _stop_process(process: subprocess.Popen[str]) -> None:
    try:
        process.communicate(timeout=_TIMEOUT_SECONDS)  # it exits at the end of its standard input
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


def _read_line(process: subprocess.Popen[str]) -> dict[str, str]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "The OpenID provider has ended; run server.mjs by hand to see why."
    message: dict[str, str] = json.loads(line)
    return message
