"""The compose files, run by a real Docker: one container, then the cluster, with the commands of the manual.

Their images of nginx, PostgreSQL and the S3 server come from a registry. Here they are made of Debian's packages; the
S3 server is Ceph's, which runs outside.
"""

import re
import shutil
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx2
import pytest
import yaml

from architecture.source import ROOT
from deploy.engine import ADDRESS, HOST, Engine, running_engine
from deploy.image import Image, write_context
from playing import Player, write_version
from processes.service import PATIENCE, Service, until
from radosgw import MISSING, Radosgw, is_installed, running_radosgw

# Building the image takes minutes, and much longer on a busy machine.
pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.timeout(3600)]

CLUSTER = "deploy/cluster"
NODES = ("node1", "node2")
# It takes longer to read than a node to start. A hole in a file needs no room.
LARGE_BYTES = 24 * 1024**3


class Deployment(Service):
    """What the compose files start, with nginx or one container at the same address."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        super().__init__(folder, "")
        self.engine = engine

    @property
    def single(self) -> Path:
        return self.folder / "playdock"

    @property
    def cluster(self) -> Path:
        return self.single / CLUSTER

    @property
    def address(self) -> str:
        return f"http://{ADDRESS}:3000"

    def compose_single(self, *arguments: str) -> str:
        return self.engine.compose(self.single, *arguments)

    def compose(self, *arguments: str) -> str:
        """Run a command of Compose for the cluster."""
        return self.engine.compose(self.cluster, *arguments)

    def wait_for_nodes(self) -> None:
        healthy = ["healthy"] * len(NODES)
        until(lambda: self.compose("ps", "--format", "{{.Health}}", *NODES).split() == healthy, what="healthy nodes")

    def serves(self, node: str) -> bool:
        request = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:3000/health/ready')"
        try:
            self.compose("exec", node, "python3", "-c", request)
        except AssertionError:
            return False
        return True

    def is_ready(self) -> bool:
        try:
            return httpx2.get(f"{self.address}/health/ready").is_success
        except httpx2.TransportError:
            return False


@pytest.fixture(scope="module")
def engine(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if not is_installed():
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("engine")
    image.write(folder / "image.tar")
    with running_engine(folder) as engine:
        engine.docker("load", "--input", folder / "image.tar")
        (folder / "image.tar").unlink()
        yield engine


@pytest.fixture(scope="module")
def s3(engine: Engine) -> Iterator[Radosgw]:
    with running_radosgw(HOST) as server:
        server.make_bucket("playdock")
        services = yaml.safe_load((ROOT / CLUSTER / "compose.yaml").read_text())["services"]
        for name in ("nginx", "postgresql", "s3"):
            engine.stand_in(name, services[name]["image"], SERVER=server.address.removeprefix("http://"))
        yield server


def documented(heading: str) -> list[str]:
    """Return the blocks of commands in a section of the manual."""
    manual = (ROOT / "docs/operating.md").read_text()
    [section] = re.findall(rf"^##+ {heading}\n(.*?)^##", manual, re.MULTILINE | re.DOTALL)
    found = re.findall(r"^(?: {4,}\S.*\n)+", section, re.MULTILINE)
    assert found
    return [textwrap.dedent(block) for block in found]


def test_one_container_is_moved_to_a_cluster(engine: Engine, s3: Radosgw, tmp_path: Path) -> None:
    service = Deployment(tmp_path, engine)
    write_context(service.single)
    games = tmp_path / "games/Doom"
    write_version(games / "1.0", "1.0")
    (service.single / ".env").write_text(f"GAMES={games.parent}\nADDRESS={ADDRESS}\n")

    doom = _start_one_container(service)
    player = Player(service.address, service.token, doom, tmp_path / "installed")
    player.play("1.0")
    _move_to_the_cluster(service, s3)
    player.play("1.0")

    write_version(games / "1.1", "1.1")
    assert service.finish(service.start_import(doom, "1.1"))["success"]
    write_version(games / "1.2", "1.2")
    _kill_importing_processes(service, doom, games / "1.2")
    player.bytes_per_second = 2_000_000
    _kill_both_nodes_during_a_download(service, player)
    # Docker takes half a minute to see that a container is healthy.
    player.bytes_per_second = 300_000
    player.folder = tmp_path / "upgrading"
    _upgrade_during_a_download(service, player)

    player.bytes_per_second = Player.bytes_per_second
    player.folder = tmp_path / "restored"
    _lose_and_restore_everything(service, s3)
    player.play("1.1")
    for folder in (service.cluster, service.single):
        engine.compose(folder, "down", "--volumes")


def _start_one_container(service: Deployment) -> str:
    """Start a service, sign up, import a game, and return its id."""
    service.compose_single("up", "--detach")
    until(service.is_ready, what="one container")
    log = service.compose_single("logs", "--no-log-prefix", "--no-color")
    assert "In your network" not in log
    invitation = re.search(r"http\S+/auth/register\?id=\S+", log)
    assert invitation, log
    service.sign_up(invitation[0])
    [library] = service.get("/api/v1/admin/library/sources")
    task = service.post("/api/v1/admin/import/game", {"library": library["id"], "path": "Doom"})["taskId"]
    assert service.finish(task)["success"]
    doom: str = service.get("/api/v1/admin/library")["games"][0]["game"]["id"]
    assert service.finish(service.start_import(doom, "1.0"))["success"]
    until(lambda: service.compose_single("ps", "--format", "{{.Health}}") == "healthy\n", what="a healthy container")
    return doom


def _move_to_the_cluster(service: Deployment, s3: Radosgw) -> None:
    leaving, keys, *others = documented("From one container to the cluster")
    service.engine.sh(service.single, leaving)
    # The manual says to copy the settings of the container.
    written = service.cluster / ".env"
    shutil.copy(service.single / ".env", written)
    service.engine.sh(service.cluster, keys)
    [password] = re.findall(r"^S3_PASSWORD=(.*)$", written.read_text(), re.MULTILINE)
    s3.add_keys("playdock", password)
    for commands in others:
        service.engine.sh(service.cluster, commands)
    service.wait_for_nodes()


def _kill_importing_processes(service: Deployment, game: str, version: Path) -> None:
    """Let two processes start an import, kill both, and wait until a third one has completed it."""
    with (version / "large").open("wb") as large:
        large.truncate(LARGE_BYTES)
    service.compose("kill", "node2")
    # The others start the import before it is ready.
    service.compose("start", "node2")
    task = service.start_import(game, version.name)
    until(lambda: service.serves("node2"), what="another node")
    service.compose("kill", "node1", "worker")
    assert not service.get(f"/api/v1/task/{task}")["ended"]
    assert service.finish(task)["success"]
    service.compose("up", "--detach")
    service.wait_for_nodes()


def _kill_both_nodes_during_a_download(service: Deployment, player: Player) -> None:
    """Kill one container after the other while the game is updated; the player notices nothing."""
    first, second = NODES

    def kill_second() -> None:
        service.compose("up", "--detach", "--no-deps", first)
        until(lambda: service.serves(first), what="the first node again")
        service.compose("kill", second)

    with _no_reading_request_fails(service):
        player.play_while("1.1", partial(service.compose, "kill", first), kill_second)
    service.compose("up", "--detach")
    service.wait_for_nodes()


def _upgrade_during_a_download(service: Deployment, player: Player) -> None:
    [commands] = [block for block in documented("As a container") if "--no-deps" in block]
    # The release is the same one, so that nothing would be done.
    building, *replacing = commands.replace("up ", "up --force-recreate ").splitlines()
    assert building == "docker compose build"
    with _no_reading_request_fails(service):
        player.play_while("1.1", *(partial(service.engine.sh, service.cluster, line) for line in replacing))


@contextmanager
def _no_reading_request_fails(service: Deployment) -> Iterator[None]:
    """Send requests all the time, and assert that all succeed. The client would repeat those that fail."""
    stopping = threading.Event()

    def ask() -> list[tuple[int, float]]:
        answers = []
        while not stopping.is_set():
            start = time.monotonic()
            status = httpx2.get(f"{service.address}/api/v1/auth", timeout=PATIENCE).status_code
            answers.append((status, time.monotonic() - start))
            time.sleep(0.02)
        return answers

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask) for _ in range(8)]
        try:
            yield
        finally:
            stopping.set()
        answers = [answer for each in asking for answer in each.result()]
    slowest = max(seconds for _, seconds in answers)
    print(f"{len(answers)} requests, the slowest took {slowest:.1f} s.")  # noqa: T201 - a figure of docs/benchmarks.md
    assert {status for status, _ in answers} == {200}


def _lose_and_restore_everything(service: Deployment, s3: Radosgw) -> None:
    """Everything is lost but the backup and the games."""
    service.compose("exec", "worker", "playdock", "backup", "/backups")
    [commands] = documented("Restoring a cluster")
    stopping, restoring = commands.split("\n", 1)
    service.engine.sh(service.cluster, stopping)
    s3.empty("playdock")
    service.engine.sh(service.cluster, restoring)
    service.wait_for_nodes()
