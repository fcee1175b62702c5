"""Libraries, games and versions for the benchmarks, imported through the service."""

import time
from datetime import datetime
from pathlib import Path

import httpx2


def add_library(client: httpx2.Client, games: Path) -> str:
    """Add a folder as a library, and return its id."""
    return library_at(client, str(games), backend="Filesystem")


def library_at(client: httpx2.Client, place: str, *, backend: str) -> str:
    """Add a library at a path or a URL, and return its id."""
    draft = {"name": "Games", "backend": backend, "options": {"baseDir": place}}
    library: str = client.post("/api/v1/admin/library/sources", json=draft).raise_for_status().json()["id"]
    return library


def import_game(client: httpx2.Client, library: str, path: str) -> str:
    """Import a game, and return its id."""
    started = client.post("/api/v1/admin/import/game", json={"library": library, "path": path}).raise_for_status()
    wait_for(client, started.json()["taskId"])
    listed = client.get("/api/v1/admin/library").json()["games"]
    game: str = next(each["game"]["id"] for each in listed if each["game"]["libraryPath"] == path)
    return game


def start_import(client: httpx2.Client, game: str, version: str, *, launch: str) -> str:
    """Start the import of a version, and return the task's id."""
    body = {"id": game, "version": version, "platform": "Linux", "delta": False, "launch": launch}
    started = client.post("/api/v1/admin/import/version", json=body).raise_for_status()
    task_id: str = started.json()["taskId"]
    return task_id


def import_version(client: httpx2.Client, game: str, version: str, *, launch: str) -> str:
    """Import a version, and return its id."""
    wait_for(client, start_import(client, game, version, launch=launch))
    listed = client.get(f"/api/v1/games/{game}/versions").raise_for_status().json()
    version_id: str = next(each["id"] for each in listed if each["name"] == version)
    return version_id


def wait_for(client: httpx2.Client, task_id: str) -> datetime:
    """Wait for a task, and return the time of its end."""
    while True:
        task = client.get(f"/api/v1/task/{task_id}").json()
        if task["ended"]:
            assert task["success"], task
            return datetime.fromisoformat(task["ended"])
        time.sleep(0.1)
