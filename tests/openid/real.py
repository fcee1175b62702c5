"""A certified OpenID provider of the tests' own: run by node on loopback, stopped again, never kept."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parent / "provider"
_PATIENCE = 30
CLIENT_ID = "playdock"
CLIENT_SECRET = "a-secret-between-the-service-and-its-provider"


@dataclass(frozen=True, slots=True)
class RealProvider:
    """The provider's control, which is its standard input and output (``provider/server.mjs``)."""

    process: subprocess.Popen[str]
    issuer: str

    @property
    def discovery(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"

    def serve(self, service: str, **metadata: Any) -> None:
        """Know the service at this address, and no other, as a client."""
        client = {
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "redirect_uris": [f"{service}/auth/callback/oidc"],
            "post_logout_redirect_uris": [service],
            **metadata,
        }
        self._tell(client=client)

    def know(self, **accounts: dict[str, Any]) -> None:
        """Have exactly these accounts: what each is signed in with, which is its sub, and its claims."""
        self._tell(accounts=accounts)

    def put_claims_into_id_tokens(self, *, wanted: bool) -> None:
        """Send claims with the ID token; else they are only told to who asks for the userinfo."""
        self._tell(claimsInIdToken=wanted)

    def rotate_keys(self) -> None:
        """Sign with new keys from now on, and forget the old ones."""
        self._tell(rotate=True)

    def _tell(self, **wish: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(wish) + "\n")
        self.process.stdin.flush()
        _read_line(self.process)


def find_node() -> str | None:
    """Give the path of node if it and the provider's packages are there."""
    return shutil.which("node") if (_FOLDER / "node_modules" / "oidc-provider").is_dir() else None


def require_node() -> str:
    node = find_node()
    if node is None:
        missing = "node or the packages of the OpenID provider are missing: install node and npm, then `make test`."
        assert "CI" not in os.environ, missing
        pytest.skip(f"NOTHING IS TESTED AGAINST A REAL OPENID PROVIDER: {missing}")
    return node


@contextmanager
def running_provider(node: str, *, port: int = 0) -> Iterator[RealProvider]:
    """Run the provider; without a port on a free one."""
    process = subprocess.Popen(
        [node, "server.mjs", str(port)],
        cwd=_FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield RealProvider(process, _read_line(process)["issuer"])
    finally:
        process.communicate(timeout=_PATIENCE)  # it ends with its standard input


def _read_line(process: subprocess.Popen[str]) -> dict[str, str]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "The OpenID provider has ended; run server.mjs by hand to see why."
    answer: dict[str, str] = json.loads(line)
    return answer
