"""Bulk import: the plan for six hundred folders and the run that imports them, without metadata providers."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2

from bench.bare import seconds
from bench.servers import service
from bench.table import Row

_FOLDERS = 600
_FILES = 40
_PLAN = "/api/v1/admin/import/plan"


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, service(Path(folder)) as served:
        games = Path(folder) / "games"
        _write_tree(games)
        bare = seconds(lambda: _walk(games))
        with served.client() as client:
            draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(games)}}
            client.post("/api/v1/admin/library/sources", json=draft).raise_for_status()
            planning = seconds(lambda: _finish(client, client.post(f"{_PLAN}/task", json={}).json()["taskId"]))
            plan = client.get(_PLAN).json()
            assert plan["total"] == _FOLDERS
            importing = seconds(lambda: _import(client))
    yield Row(
        f"planning the import of {_FOLDERS} folders, {_FILES} files each, without asking providers",
        f"{planning:.1f} s",
        f"bare walk: {bare:.2f} s",
        f"{planning / bare:.0f}",
        "",
    )
    yield Row(f"importing these {_FOLDERS} games and versions in one run", f"{importing:.1f} s", "", "", "")


def _write_tree(games: Path) -> None:
    for number in range(_FOLDERS):
        version = games / f"Game number {number}" / "1.0"
        (version / "data").mkdir(parents=True)
        program = version / f"gamenumber{number}"
        program.write_bytes(b"#!/bin/sh\n")
        program.chmod(0o755)
        (version / "steam_appid.txt").write_text(str(1000 + number))
        for file in range(_FILES - 2):
            (version / "data" / f"{file}.dat").write_bytes(bytes(100))


def _walk(games: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(games))


def _import(client: httpx2.Client) -> None:
    started: dict[str, Any] = client.post(_PLAN, json={"atLeast": 0}).raise_for_status().json()
    _finish(client, started["taskId"])
    while client.get("/api/v1/admin/task").raise_for_status().json()["runningTasks"]:
        time.sleep(0.1)


def _finish(client: httpx2.Client, task: str) -> None:
    while not (found := client.get(f"/api/v1/task/{task}").raise_for_status().json())["ended"]:
        time.sleep(0.05)
    assert found["success"], found
