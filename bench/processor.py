"""Processor time of the service for a request, at another commit and in the working tree.

    python -m bench.processor BASE [--rounds N]

Both services run at the same time and get the same requests in turn, a second at a time. Processor time depends less
than rates on what else runs on the machine, and other load only adds to it: the lowest tenth of the rounds is compared.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench.compare import worktree
from bench.servers import PASSWORD, Running, free_port, running

_ROOT = Path(__file__).parents[1]
_ROUNDS = 20
_SLICE_SECONDS = 1
_FILE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Call:
    """A request that is sent repeatedly over a number of connections."""

    what: str
    path: str
    headers: Mapping[str, str]
    connections: int


@dataclass(frozen=True, slots=True)
class Side:
    """The running service of a tree, which serves a game."""

    running: Running
    token: str
    version: str

    def microseconds(self, call: Call) -> float:
        """Send requests for a second, and return the processor time of the service for one."""
        before = self._nanoseconds()
        command = ["wrk", "-t", "1", "-c", str(call.connections), "-d", f"{_SLICE_SECONDS}s"]
        for name, value in {"Authorization": f"Bearer {self.token}", **call.headers}.items():
            command += ["-H", f"{name}: {value}"]
        address = self.running.address + call.path.format(version=self.version)
        printed = subprocess.run([*command, address], check=True, capture_output=True, text=True).stdout
        used = self._nanoseconds() - before
        found = re.search(r"(\d+) requests in", printed)
        assert found is not None, printed
        assert "Non-2xx" not in printed, printed
        return used / 1000 / int(found.group(1))

    def _nanoseconds(self) -> int:
        tasks = Path(f"/proc/{self.running.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks)


def compare(base: Path, tree: Path, *, rounds: int = _ROUNDS) -> Iterator[str]:
    """Yield a row of a table for each call: the processor time for a request on both sides, and the ratio."""
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "games/Game/1.0").mkdir(parents=True)
        (folder / "games/Game/1.0/game").write_bytes(os.urandom(_FILE_BYTES))
        sides = [stack.enter_context(_side(root, folder, label)) for label, root in (("base", base), ("tree", tree))]
        for call in _calls():
            for side in sides:
                side.microseconds(call)
            # Each side is the first in every other round.
            rows = [[side.microseconds(call) for side in sides[:: (-1) ** number]] for number in range(rounds)]
            pairs = [row[:: (-1) ** number] for number, row in enumerate(rows)]
            before, now = (_undisturbed(side) for side in zip(*pairs, strict=True))
            yield f"| {call.what} | {before:.0f} µs | {now:.0f} µs | {now / before:.2f} |"


def _undisturbed(rounds: Sequence[float]) -> float:
    """Return the time below which a tenth of the rounds are: other load on the machine can only add to it."""
    return statistics.quantiles(rounds, n=10)[0]


def _calls() -> Iterator[Call]:
    file = "/api/v1/versions/{version}/files/game"
    yield Call("`GET /api/v1/user` over 1 connection", "/api/v1/user", {}, 1)
    yield Call("`GET /api/v1/user` over 32", "/api/v1/user", {}, 32)
    yield Call("`GET /api/v1/user`, a new connection each", "/api/v1/user", {"Connection": "close"}, 8)
    yield Call("sign-in page over 8", "/auth/signin", {}, 8)
    yield Call("64 KiB of a file over 8", file, {"Range": "bytes=65536-131071"}, 8)
    yield Call("8 MiB of a file over 8", file, {"Range": f"bytes=0-{8 * 2**20 - 1}"}, 8)


@contextmanager
def _side(root: Path, folder: Path, label: str) -> Iterator[Side]:
    port = free_port()
    program = str(root / ".venv/bin/playdock")
    address = f"http://127.0.0.1:{port}"
    environment = {
        "DATA_DIR": str(folder / label),
        "EXTERNAL_URL": address,
        "METADATA_PROVIDERS": "none",
        "DOWNLOADS_AT_ONCE_PER_USER": "0",
        # The older commit may not know it.
        "REQUESTS_PER_MINUTE": "0",
    }
    with running(
        [program, "serve", "--port", str(port)], port=port, path="/api/v1/user", environment=environment
    ) as it:
        invited = subprocess.run(
            [program, "invite", "--admin"],
            env={**os.environ, **environment},
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        found = re.search(r"register\?id=(\S+)", invited.stdout)
        assert found is not None, invited.stdout
        with httpx2.Client(base_url=address, timeout=600) as client:
            token = _sign_up(client, found.group(1))
            client.headers["Authorization"] = f"Bearer {token}"
            yield Side(it, token, _import(client, folder / "games"))


def _sign_up(client: httpx2.Client, invitation: str) -> str:
    body = {"invitation": invitation, "username": "ada", "email": "ada@example.org", "password": PASSWORD}
    client.post("/api/v1/auth/signup/simple", json=body).raise_for_status()
    signed_in = client.post("/api/v1/auth/signin/simple", json={"username": "ada", "password": PASSWORD})
    token: str = signed_in.raise_for_status().json()["accessToken"]
    return token


def _import(client: httpx2.Client, games: Path) -> str:
    """Import the only game and its version, and return the version's id."""
    draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(games)}}
    library = client.post("/api/v1/admin/library/sources", json=draft).raise_for_status().json()["id"]
    client.post("/api/v1/admin/import/game", json={"library": library, "path": "Game"}).raise_for_status()
    while not (found := client.get("/api/v1/admin/library").raise_for_status().json()["games"]):
        time.sleep(0.05)
    game = found[0]["game"]["id"]
    body = {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "game"}
    client.post("/api/v1/admin/import/version", json=body).raise_for_status()
    while not (versions := client.get(f"/api/v1/games/{game}/versions").raise_for_status().json()):
        time.sleep(0.05)
    version: str = versions[0]["id"]
    return version


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the processor time of requests with another commit.")
    parser.add_argument("base", help="the commit to compare the working tree with")
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    wanted = parser.parse_args()
    print(f"| Call | {wanted.base} | working tree | Ratio |\n|---|---|---|---|")
    with worktree(_ROOT, wanted.base) as base:
        for row in compare(base, _ROOT, rounds=wanted.rounds):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
