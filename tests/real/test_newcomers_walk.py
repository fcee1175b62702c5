"""A newcomer's walk with a real game: from the first start to the manifest, compared with the files on the disk.

`tools/demo_library.py .cache/real-games --only Teeworlds` builds the game from Debian's packages; `make test` does it.
"""

import json
import os
from pathlib import Path
from typing import Any
from zlib import crc32

from blake3 import blake3
from websockets.sync.client import connect

from processes.service import Service


def test_a_new_admin_can_get_from_the_first_start_to_the_manifest(service: Service, version: Path) -> None:
    service.start()
    service.sign_up(service.invitations[0])
    game = service.import_game(version.parents[1], "Teeworlds")
    assert service.get("/api/v1/admin/import/version", params={"id": game}) == [version.name]

    guesses = service.get("/api/v1/admin/import/version/preload", params={"id": game, "version": version.name})
    told = watch(service, service.start_import(game, version.name, launch=guesses[0]["filename"]))

    assert (guesses[0]["filename"], guesses[0]["platform"]) == ("usr/games/teeworlds", "Linux")
    assert (told["success"], told["progress"]) == (True, 100)
    [imported] = service.get(f"/api/v1/games/{game}/versions")
    check(service.get(f"/api/v1/versions/{imported['id']}/manifest"), version)


def watch(service: Service, task: str) -> dict[str, Any]:
    """Follow a task over the web socket and return the last that was told of it."""
    credential = {"Authorization": f"Bearer {service.token}"}
    with connect(
        f"ws://127.0.0.1:{service.port}/api/v1/task", additional_headers=credential, open_timeout=120
    ) as opened:
        assert opened.recv(timeout=120) == "connect"
        opened.send(f"connect/{task}")
        *_, last = iter(lambda: opened.recv(timeout=120), f"disconnect/{task}")
    told: dict[str, Any] = json.loads(last)
    return told


def check(manifest: dict[str, Any], version: Path) -> None:
    """Compare a manifest with the files, byte by byte."""
    places = [Path(folder, name) for folder, _, names in os.walk(version) for name in names]
    files = {str(place.relative_to(version)): place for place in places if not place.is_symlink()}
    links = {str(place.relative_to(version)): str(place.readlink()) for place in places if place.is_symlink()}
    assert {link["path"]: link["target"] for link in manifest["links"]} == links
    assert [file["path"] for file in manifest["files"]] == sorted(files)
    assert manifest["size"] == sum(place.stat().st_size for place in files.values())
    for file in manifest["files"]:
        check_file(file, files[file["path"]])


def check_file(file: dict[str, Any], place: Path) -> None:
    data, start = place.read_bytes(), 0
    assert (file["size"], file["crc32"], file["mode"]) == (len(data), crc32(data), place.stat().st_mode & 0o777)
    for length, chunk in file["chunks"]:
        assert blake3(data[start : start + length]).hexdigest() == chunk
        start += length
    assert start == len(data)
