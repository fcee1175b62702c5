"""Which faults happen at the same time."""

from pathlib import Path
from random import Random

from postgresql import Server
from processes.service import Service
from torture.faults import Target, possible_faults
from torture.lanes import lanes
from torture.network import Node


def test_each_node_of_a_cluster_has_faults_of_its_own_and_shares_others(tmp_path: Path) -> None:
    nodes = [Node(tmp_path / f"node{number}", "") for number in range(3)]
    target = Target(nodes, tmp_path / "library", tmp_path / "objects", Server(tmp_path, tmp_path, {}))

    *own, shared = lanes(target, possible_faults(target, disk_can_fail=True))

    assert [(lane.name, list(lane.target.nodes)) for lane in own] == [(node.folder.name, [node]) for node in nodes]
    assert {fault.name for fault in shared.faults} == {"PostgreSQL crash", "library away"}
    assert not {fault.name for lane in own for fault in lane.faults} & {fault.name for fault in shared.faults}
    counts = {lane.count(Random(seed)) for lane in own for seed in range(100)}
    assert counts == {0, 1, 2, 3}


def test_a_single_process_has_one_fault_at_a_time(tmp_path: Path) -> None:
    target = Target([Service(tmp_path, "")], tmp_path / "library", tmp_path / "objects")
    faults = possible_faults(target, disk_can_fail=True)

    [lane] = lanes(target, faults)

    assert (list(lane.faults), {lane.count(Random(seed)) for seed in range(10)}) == (faults, {1})
