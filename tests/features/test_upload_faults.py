"""What happens to uploads when something fails: nothing is lost, nothing is done twice, and the reason is told."""

import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from playdock.features.library_scans.service import SCAN
from playdock.features.uploads import queries, rules
from playdock.storage.staged_upload import StagedUpload
from playdock.storage.staging import Disk, StagingArea
from playdock.tasks.errors import Postponed
from uploads import SOURCES, UPLOADS, begun, clean, declared, finish, folder_of, managed_library, send, show
from world import Caller, World

GAME = {"doom.sh": b"run doom", "data/levels.wad": bytes(range(256)) * 300, "data/empty": b""}
CONTENT = b"".join(GAME.values())
HEAD = len(CONTENT) // 3


def test_a_step_that_ends_with_the_last_byte_completes_an_upload_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)
    monkeypatch.setattr(rules, "BYTES_PER_STEP", len(CONTENT))

    assert send(admin, upload, CONTENT).status_code == 204
    assert finish(world, admin, upload)["state"] == "done"


def received_part(world: World, admin: Caller, library: dict[str, Any], version: str = "1.0") -> tuple[str, Path]:
    """An upload of which a part has been received, and the file that continues."""
    upload = begun(admin, library, GAME, version=version)
    assert send(admin, upload, CONTENT[:HEAD]).status_code == 204
    return upload, staged(library, upload) / "content/Doom" / version / "data/levels.wad"


def staged(library: dict[str, Any], upload: str) -> Path:
    return folder_of(library) / ".playdock/uploads" / upload


def test_moving_an_upload_to_its_place_is_repeated_after_an_interruption(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a server that was killed between moving the files and recording that."""
    admin = world.admin()
    library = managed_library(admin)
    set_placed = queries.set_placed
    archive = {"1.2.zip": b"PK of some kind"}

    for version, files in (("1.0", GAME), ("1.1", GAME), ("1.2.zip", archive)):
        runs: list[datetime] = []

        def interrupted(session: Session, upload_id: str, *, at: datetime, runs: list[datetime] = runs) -> None:
            runs.append(at)
            if len(runs) == 1:
                raise Postponed(at)
            set_placed(session, upload_id, at=at)

        monkeypatch.setattr(queries, "set_placed", interrupted)
        upload = begun(admin, library, files, version=version, hashed=True)
        send(admin, upload, b"".join(files.values()))
        placed = finish(world, admin, upload)

        assert (placed["state"], placed["problem"], len(runs)) == ("done", "", 2)
        assert not staged(library, upload).exists()
    assert sorted(path.name for path in (folder_of(library) / "Doom").iterdir()) == ["1.0", "1.1", "1.2.zip"]
    assert SCAN in [task["taskGroup"] for task in tasks_of(admin)]


def tasks_of(admin: Caller) -> list[dict[str, Any]]:
    listed = admin.get("/api/v1/admin/task").json()
    return [*listed["runningTasks"], *listed["historicalTasks"]]


def test_an_upload_whose_bytes_are_lost_is_not_filled_with_zeros(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)

    def shorten(file: Path) -> None:
        os.truncate(file, file.stat().st_size - 1)

    def replace_with_pipe(file: Path) -> None:
        file.unlink()
        os.mkfifo(file)

    def replace_with_link(file: Path) -> None:
        file.unlink()
        file.symlink_to(world.folder)

    damages: list[Callable[[Path], None]] = [Path.unlink, shorten, replace_with_pipe, replace_with_link]
    for number, damage in enumerate(damages):
        version = f"{number}.0"
        upload, file = received_part(world, admin, library, version)
        damage(file)

        lost = send(admin, upload, CONTENT[HEAD:], at=HEAD)
        again = admin.post(UPLOADS, declared(library, GAME, version=version)).json()

        assert (lost.status_code, lost.json()["type"]) == (404, "upload-lost")
        assert (again["id"] != upload, again["received"]) == (True, 0)
        assert send(admin, again["id"], CONTENT).status_code == 204
        assert finish(world, admin, again["id"])["state"] == "done"
        assert (folder_of(library) / "Doom" / version / "data/levels.wad").read_bytes() == GAME["data/levels.wad"]


def test_only_what_this_server_has_received_and_forgotten_is_deleted(world: World) -> None:
    admin = world.admin()
    library, read, broken = managed_library(admin), managed_library(admin), managed_library(admin)
    area, read_area = (folder_of(each) / ".playdock/uploads" for each in (library, read))
    owners = {"own": library["id"], "other": "a library of another server", "new": library["id"]}
    for folder, name, owner in [
        *((area, name, owner) for name, owner in owners.items()),
        (read_area, "own", read["id"]),
    ]:
        (folder / name).mkdir(parents=True)
        (folder / name / "files.json").write_text(f'{{"library": "{owner}", "files": []}}')
        if name != "new":
            os.utime(folder / name, (0, 0))
    manage(admin, read, managed=False)
    replace_with_data(world, broken)

    clean(world, admin)

    assert sorted(path.name for path in area.iterdir()) == ["new", "other"]
    assert [path.name for path in read_area.iterdir()] == ["own"]


def test_what_is_received_in_a_library_that_is_no_longer_managed_is_neither_continued_nor_forgotten(
    world: World,
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload, file = received_part(world, admin, library)
    complete = begun(admin, library, GAME, version="2.0")
    taken = folder_of(library) / "Doom/2.0"
    taken.mkdir(parents=True)
    send(admin, complete, CONTENT)
    before = finish(world, admin, complete)
    taken.rmdir()
    manage(admin, library, managed=False)

    continued = send(admin, upload, CONTENT[HEAD:], at=HEAD)
    with world.services.db.write() as session:
        found = queries.find(session, complete)
        assert found is not None
        world.services.uploads.enqueue_placing(session, found)
    after = finish(world, admin, complete)
    world.clock.advance(days=8)
    admin = world.with_token(world.sign_in("ada").json()["accessToken"])
    clean(world, admin)

    assert before["problemCode"] == "destination-taken"
    assert (continued.status_code, continued.json()["type"]) == (409, "library-not-managed")
    assert (after["state"], after["problemCode"]) == ("failed", "library-not-managed")
    assert not taken.exists()
    assert file.exists()
    assert {each["id"] for each in admin.get(UPLOADS).json()} == {upload, complete}
    manage(admin, library, managed=True)
    assert send(admin, upload, CONTENT[HEAD:], at=HEAD).status_code == 204


def test_a_library_with_an_incomplete_upload_is_not_removed_or_moved(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload, _ = received_part(world, admin, library)
    elsewhere = {"id": library["id"], "options": {"baseDir": str(world.folder / "data/games/new"), "managed": True}}

    answers = [
        admin.delete(SOURCES, {"id": library["id"]}),
        admin.post(f"{SOURCES}/{library['id']}/removal"),
        admin.patch(SOURCES, elsewhere),
    ]

    assert [answer.json()["type"] for answer in answers] == ["uploads-unfinished"] * 3
    assert admin.delete(f"{UPLOADS}/{upload}").status_code == 204
    assert admin.patch(SOURCES, elsewhere).status_code == 200
    assert admin.delete(SOURCES, {"id": library["id"]}).status_code == 204


def test_files_that_were_deleted_do_not_count_toward_the_limit(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    world.services.settings.uploads_max_bytes = len(CONTENT)
    damaged = begun(admin, library, GAME, hashed=True)
    send(admin, damaged, CONTENT[:-1] + b"\0")

    assert finish(world, admin, damaged)["problemCode"] == "upload-differs"
    assert admin.post(UPLOADS, declared(library, GAME, version="2.0")).status_code == 200


def test_uploads_into_all_libraries_on_a_disk_share_its_room(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    first, second = managed_library(admin), managed_library(admin)
    free = rules.RESERVED_BYTES + 2 * len(CONTENT) - 1
    monkeypatch.setattr(StagingArea, "disk", lambda _: Disk(device=1, free=free))

    upload = begun(admin, first, GAME)
    full = admin.post(UPLOADS, declared(second, GAME))
    admin.delete(f"{UPLOADS}/{upload}")

    assert (full.status_code, full.json()["type"]) == (409, "space-missing")
    assert admin.post(UPLOADS, declared(second, GAME)).status_code == 200


def test_the_reserve_of_a_disk_that_others_fill_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)
    rooms = iter([rules.RESERVED_BYTES, rules.RESERVED_BYTES - 1, rules.RESERVED_BYTES - 1])
    monkeypatch.setattr(rules, "BYTES_PER_STEP", 1)
    with monkeypatch.context() as patched:
        patched.setattr(StagedUpload, "free_bytes", lambda _: next(rooms))
        answers = [send(admin, upload, CONTENT[:HEAD]), send(admin, upload, CONTENT[HEAD:], at=HEAD)]

    assert [(each.status_code, each.json()["type"]) for each in answers] == [(409, "space-missing")] * 2
    assert show(admin, upload)["received"] == HEAD
    assert send(admin, upload, CONTENT[HEAD:], at=HEAD).status_code == 204


def test_a_library_that_cannot_be_used_is_reported(world: World) -> None:
    admin = world.admin()
    hidden = managed_library(admin)
    (folder_of(hidden) / ".playdock").write_text("a file")
    answers = [admin.post(UPLOADS, declared(hidden, GAME))]

    for damage in (lambda library: folder_of(library).rename(world.folder / "away"), partial(replace_with_data, world)):
        library = managed_library(admin)
        upload, _ = received_part(world, admin, library)
        damage(library)
        answers += [
            admin.post(UPLOADS, declared(library, GAME, version="2.0")),
            send(admin, upload, CONTENT[HEAD:], at=HEAD),
        ]
        assert admin.delete(f"{UPLOADS}/{upload}").status_code == 204

    assert [(each.status_code, each.json()["type"]) for each in answers] == [(503, "library-unavailable")] * 5
    assert admin.get(UPLOADS).json() == []


def test_names_that_a_disk_cannot_have_and_games_that_are_files_are_refused(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    (folder_of(library) / "File").write_text("no folder")
    (folder_of(library) / "Link").symlink_to(world.folder)
    long = "ü" * 128

    changes: list[tuple[dict[str, Any], str]] = [
        ({"game": long}, "game"),
        ({"version": long}, "version"),
        ({"files": [{"path": f"a/{long}/b", "size": 1}]}, "files"),
    ]
    for change, field in changes:
        refused = admin.post(UPLOADS, {**declared(library, GAME), **change})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)
    for game in ("File", "Link"):
        taken = admin.post(UPLOADS, declared(library, GAME, game=game))
        assert (taken.status_code, taken.json()["parameters"]) == (409, {"name": game})
    assert admin.post(UPLOADS, declared(library, GAME, game="ü" * 127)).status_code == 200


def manage(admin: Caller, library: dict[str, Any], *, managed: bool) -> None:
    changed = admin.patch(SOURCES, {"id": library["id"], "options": {**library["options"], "managed": managed}})
    assert changed.status_code == 200, changed.text


def replace_with_data(world: World, library: dict[str, Any]) -> None:
    """Let the folder of a library be that of the service's own data, where a library must not be."""
    folder = folder_of(library)
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(world.folder / "data")
