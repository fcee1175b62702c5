"""A household grows: the data of one container moves to a cluster, nodes are killed, and a backup is restored.

The services of `deploy/cluster` run as processes with the settings of its compose file.
"""

import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from architecture.source import ROOT
from databases import Databases
from nginx import find_nginx, running_cluster
from playing import FILES, Player, write_version
from processes.service import Service, free_port, until
from radosgw import ACCESS_KEY, SECRET_KEY, Radosgw

pytestmark = pytest.mark.heavy

COMPOSE = ROOT / "deploy/cluster/compose.yaml"
UNFINISHED_IMPORT = FILES // 2


class Cluster:
    """Two nodes and a worker with one database and one bucket."""

    def __init__(self, folder: Path, database: str, objects: str, s3: Radosgw, single: Service) -> None:
        self.nodes = [Service(folder / name, database) for name in ("node1", "node2", "worker")]
        composed: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]["node1"]["environment"]
        here = {
            "OBJECTS_URL": objects,
            "OBJECTS_ENDPOINT": s3.address,
            "OBJECTS_ACCESS_KEY_ID": ACCESS_KEY,
            "OBJECTS_SECRET_ACCESS_KEY": SECRET_KEY,
            "SECRET_KEY": (single.folder / "data/secret.key").read_text().strip(),
            "LIBRARY": "",
            "DATABASE_URL": database,
            "EXTERNAL_URL": "",
        }
        assert here.keys() <= composed.keys(), "The compose file has no such setting."
        for node in self.nodes:
            (node.folder / "data").mkdir(parents=True)
            node.more = {**composed, **here, "DOWNLOADS_AT_ONCE_PER_USER": "0"}
            node.token = single.token
        self.worker = self.nodes[2]

    def start(self) -> None:
        for node in self.nodes[:2]:
            self.start_node(node)
        self._start_worker()

    def start_node(self, node: Service) -> None:
        if node is self.worker:
            self._start_worker()
            return
        node.start()
        until(lambda: httpx2.get(f"{node.address}/health/ready").is_success, what="a node that is ready")

    def _start_worker(self) -> None:
        worker = self.worker
        worker.process = subprocess.Popen([worker.program, "worker"], env=worker.environment(), cwd=worker.folder)

    def end(self) -> None:
        for node in self.nodes:
            node.end()


def test_a_household_grows_from_one_container_to_a_cluster(
    postgresql_databases: Databases, radosgw: Radosgw, tmp_path: Path
) -> None:
    program = find_nginx()
    if program is None:
        pytest.skip("THE CLUSTER IS NOT TESTED: nginx is missing. Install Debian's nginx-light.")
    games = tmp_path / "games"
    write_version(games / "Doom/1.0", "1.0")
    single = Service(tmp_path / "single", "")
    (single.folder / "data").mkdir(parents=True)
    single.more = {"OBJECTS_ENDPOINT": radosgw.address}
    single.more |= {"OBJECTS_ACCESS_KEY_ID": ACCESS_KEY, "OBJECTS_SECRET_ACCESS_KEY": SECRET_KEY}
    first, second = (postgresql_databases.blank(tmp_path) for _ in range(2))
    bucket, other_bucket = (f"s3://{radosgw.make_bucket()}/objects" for _ in range(2))

    # One container: from the first start to a game that runs.
    single.start()
    try:
        single.sign_up(single.invitations[0])
        doom = single.import_game(games, "Doom")
        assert single.finish(single.start_import(doom, "1.0"))["success"]
        Player(single.address, single.token, doom, tmp_path / "installed").play("1.0")
        assert single.stop() == 0
    finally:
        single.end()

    # Two commands.
    for command in (["move-database", first], ["move-objects", bucket]):
        moved = single.run(*command)
        assert moved.returncode == 0, moved.stderr

    cluster = Cluster(tmp_path / "cluster", first, bucket, radosgw, single)
    port = free_port()
    player = Player(f"http://127.0.0.1:{port}", single.token, doom, tmp_path / "installed")
    with running_cluster(program, tmp_path / "nginx", port=port, nodes=[node.port for node in cluster.nodes[:2]]):
        try:
            cluster.start()
            player.play("1.0")
            _kill_the_importing_node(cluster, games, doom)
            _kill_both_nodes_during_a_download(cluster, player)
            made = cluster.worker.run("backup", str(tmp_path / "backup"))
            assert made.returncode == 0, made.stderr
        finally:
            cluster.end()
        shutil.rmtree(tmp_path / "cluster")

        # Everything is lost but the backup and the games.
        restored = Cluster(tmp_path / "restored", second, other_bucket, radosgw, single)
        done = restored.worker.run("restore", str(tmp_path / "backup"))
        assert done.returncode == 0, done.stderr
        for node, former in zip(restored.nodes, cluster.nodes, strict=True):
            node.port = former.port
        try:
            restored.start()
            player.play("1.1")
            player.folder = tmp_path / "another"
            player.play("1.0")
        finally:
            restored.end()


def _kill_the_importing_node(cluster: Cluster, games: Path, doom: str) -> None:
    """Import another version, kill the process that does it, and wait until another one has completed it."""
    write_version(games / "Doom/1.1", "1.1")
    entrance = cluster.nodes[0]
    for node in cluster.nodes:
        node.end()
        node.hold_reading(after=UNFINISHED_IMPORT)
    cluster.start()
    task = entrance.start_import(doom, "1.1")
    importing: Service = until(lambda: next(filter(_is_importing, cluster.nodes), None), what="an import")
    importing.stop(signal.SIGKILL)
    for node in cluster.nodes:
        node.release_reading()
    if importing is not cluster.worker:
        cluster.start_node(importing)
    assert entrance.finish(task)["success"]


def _is_importing(node: Service) -> bool:
    return len((node.folder / "opened").read_text().splitlines()) >= UNFINISHED_IMPORT


def _kill_both_nodes_during_a_download(cluster: Cluster, player: Player) -> None:
    """Kill one node after the other while the game is updated; the player notices nothing."""

    def kill(node: Service) -> None:
        node.stop(signal.SIGKILL)
        cluster.start_node(node)

    first, second, _worker = cluster.nodes
    player.play_while("1.1", lambda: kill(first), lambda: kill(second))
