"""Archives in libraries that Playdock only reads, which are unpacked into a managed one."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from inno_setup import inno_setup
from library_files import TRASH, Killed, content, done, files_of, hidden, kill_once_after, versions_of, write
from plans import apply, computed, row_of
from playdock.domain.libraries.rules import MAX_IGNORED
from playdock.domain.library_files import queries
from playdock.features.library_files.errors import PackedVersionImported
from playdock.features.library_files.switching import Switch
from playdock.features.library_files.tasks import Carrier
from playdock.features.library_files.unpacking import UnpackingSteps
from playdock.storage import unpacked_folders
from playdock.storage.library_files import LibraryFolder
from playdock.storage.moving_files import FilesMove
from playdock.tasks.errors import Cancelled
from processes.service import until
from unpacking_versions import GAME, SIZE, UNPACKING, has_innoextract, pack, place, unpacked
from uploads import SOURCES, folder_of, managed_library
from world import Caller, World

pytestmark = pytest.mark.both_databases


def unpack_into(admin: Caller, target: dict[str, Any], *named: Any) -> httpx2.Response:
    return admin.post(UNPACKING, {**place(*named), "target": target["id"]})


def rules_of(admin: Caller, library: dict[str, Any]) -> dict[str, Any]:
    rules: dict[str, Any] = next(each["rules"] for each in admin.get(SOURCES).json() if each["id"] == library["id"])
    return rules


def offered(world: World, admin: Caller) -> dict[str, list[str]]:
    return {row["game"]: [each["version"] for each in row["versions"]] for row in computed(world, admin)["rows"]}


def offered_later(world: World, admin: Caller, game: str) -> dict[str, Any]:
    """The row of a game whose folder must be unchanged for some seconds first, like everything new."""
    row: dict[str, Any] = until(
        lambda: next((each for each in computed(world, admin)["rows"] if each["game"] == game), None), what=game
    )
    return row


def packed_doom(world: World, admin: Caller, tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """A library that is only read, with an archive, and a managed one."""
    library = world.library(admin)
    pack(tmp_path / "game", world.games / "Doom/1.0.zip")
    return library, managed_library(admin)


def test_the_archive_stays_and_is_ignored(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    before = sorted(world.games.rglob("*"))
    assert offered(world, admin) == {"Doom": ["1.0.zip"]}

    shown = admin.get(UNPACKING, params={**place(library, "1.0.zip"), "target": managed["id"]}).json()
    task = done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))

    assert (shown["folder"], shown["files"], shown["size"]) == ("1.0", len(GAME), SIZE)
    assert shown["packed"] == (world.games / "Doom/1.0.zip").stat().st_size
    assert task["success"], task
    assert (files_of(managed), hidden(managed)) == (unpacked(), [])
    assert [*(folder_of(managed) / ".playdock/moving").iterdir()] == []
    assert sorted(world.games.rglob("*")) == before
    assert admin.get(TRASH).json() == []
    assert rules_of(admin, library)["ignore"] == ["Doom/1.0.zip"]
    row = offered_later(world, admin, "Doom")
    assert (row["library"], [each["version"] for each in row["versions"]]) == (managed["id"], ["1.0"])
    assert [each["library"]["id"] for each in admin.get("/api/v1/admin/import/game").json()["unimportedGames"]] == [
        managed["id"]
    ]
    assert apply(world, admin, rows=[{"id": row["id"]}])["failed"] == 0
    game = next(each["game"]["id"] for each in admin.get("/api/v1/admin/library").json()["games"])
    assert content(admin, versions_of(admin, game)["1.0"])[0] == 200


def test_what_is_new_in_the_folder_is_offered_and_a_rule_can_be_removed(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    assert done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert offered_later(world, admin, "Doom")["library"] == managed["id"]

    (world.games / "Doom/1.1").mkdir()
    (world.games / "Doom/1.1/doom").write_bytes(b"1")
    [row] = until(
        lambda: [row for row in computed(world, admin)["rows"] if row["library"] == library["id"]], what="1.1"
    )
    assert [each["version"] for each in row["versions"]] == ["1.1"]

    game = world.import_game(admin, library, "Doom")
    assert "1.0.zip" not in admin.get("/api/v1/admin/import/version", params={"id": game}).json()
    rules = {**rules_of(admin, library), "ignore": []}
    assert admin.patch(SOURCES, {"id": library["id"], "rules": rules}).status_code == 200
    assert "1.0.zip" in admin.get("/api/v1/admin/import/version", params={"id": game}).json()


def test_a_version_that_is_ignored_is_not_offered_for_an_imported_game(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = world.library(admin)
    (world.games / "Doom [GOG]/0.9").mkdir(parents=True)
    (world.games / "Doom [GOG]/0.9/doom").write_bytes(b"1")
    pack(tmp_path / "game", world.games / "Doom [GOG]/1.0.zip")
    managed = managed_library(admin)
    assert done(world, admin, unpack_into(admin, managed, library, "1.0.zip", "Doom [GOG]"))["success"]

    game = world.import_game(admin, library, "Doom [GOG]")
    assert world.import_version(admin, game, "0.9", launch="doom")["success"]
    (world.games / "Doom [GOG]/1.1").mkdir()
    (world.games / "Doom [GOG]/1.1/doom").write_bytes(b"1")

    def unimported() -> list[str]:
        listed = admin.get("/api/v1/admin/library").json()["games"]
        return next(each["status"]["unimportedVersions"] for each in listed if each["game"]["id"] == game)

    # The archive has been there for longer.
    until(lambda: "1.1" in unimported(), what="1.1 is offered")
    assert unimported() == ["1.1"]
    assert admin.get("/api/v1/admin/import/version", params={"id": game}).json() == ["1.1"]


@pytest.mark.parametrize(
    ("backend", "archive", "folder"),
    [
        ("FlatFilesystem", "Doom 1.0.zip", "Doom 1.0"),
        ("MixedFilesystem", "Doom/1.0.zip", "Doom/1.0"),
        ("MixedFilesystem", "Doom.zip", "Doom"),
    ],
)
def test_the_folder_has_the_layout_of_the_libraries(
    world: World, tmp_path: Path, backend: str, archive: str, folder: str
) -> None:
    admin = world.admin()
    game, _, version = archive.partition("/")
    library, managed = world.library(admin, backend=backend), managed_library(admin, backend=backend)
    pack(tmp_path / "game", world.games / archive)
    task = done(world, admin, unpack_into(admin, managed, library, version or "default", game))
    assert task["success"], task
    assert files_of(managed) == sorted(f"{folder}/{path}" for path in GAME)
    assert rules_of(admin, library)["ignore"] == [archive if version else f"{archive}/default"]
    assert offered_later(world, admin, folder.partition("/")[0])["library"] == managed["id"]


@has_innoextract
def test_an_installer_alone_in_a_folder_gets_the_place_of_the_folder(world: World) -> None:
    admin = world.admin()
    library, managed = world.library(admin), managed_library(admin)
    for name, data in inno_setup({r"{app}\doom.exe": b"MZ"}, name="setup_doom_1.0", in_parts=True).items():
        write(library, f"Doom/1.0/{name}", data)
    assert done(world, admin, unpack_into(admin, managed, library, "1.0"))["success"]
    assert files_of(managed) == ["Doom/1.0/doom.exe"]
    assert rules_of(admin, library)["ignore"] == ["Doom/1.0"]


def test_the_folder_becomes_a_version_of_the_game_in_the_other_library(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    write(managed, "Doom/0.9/doom")
    game = world.import_game(admin, managed, "Doom")
    assert world.import_version(admin, game, "0.9", launch="doom")["success"]
    assert done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]


def test_other_libraries_and_places_are_refused(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    flat, read = managed_library(admin, backend="FlatFilesystem"), world.library(admin, tmp_path / "other")
    write(managed, "Doom/1.0/theirs")
    game = world.import_game(admin, library, "Doom")
    answers = [unpack_into(admin, target, library, "1.0.zip") for target in (read, flat, {"id": "none"})]
    assert [each.json()["type"] for each in answers] == [
        "library-not-managed",
        "game-in-one-library",
        "library-unknown",
    ]
    assert admin.delete(f"/api/v1/admin/game/{game}").is_success
    answers = [unpack_into(admin, target, library, "1.0.zip") for target in (flat, managed)]
    assert [each.json()["type"] for each in answers] == ["invalid-input", "place-occupied"]
    assert (files_of(managed), files_of(flat)) == (["Doom/1.0/theirs"], [])


def test_a_game_without_folders_for_versions_gets_none(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    backend = "MixedFilesystem"
    library, managed = world.library(admin, backend=backend), managed_library(admin, backend=backend)
    pack(tmp_path / "game", world.games / "Doom/1.0.zip")
    write(managed, "Doom/doom")
    game = world.import_game(admin, managed, "Doom")
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    answer = unpack_into(admin, managed, library, "1.0.zip")
    assert (answer.status_code, "no folders for versions" in answer.text) == (400, True)


@pytest.mark.parametrize(
    "step",
    [
        (unpacked_folders, "_fill"),
        (UnpackingSteps, "carry_out"),
        (FilesMove, "_rename"),
        (FilesMove, "carry_out"),
        (Switch, "apply"),
        (queries, "remove_change"),
    ],
)
def test_unpacking_that_is_killed_at_any_step_is_completed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str]
) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    owner, name = step
    killed = kill_once_after(monkeypatch, owner, name)
    assert done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert killed == [name]
    assert (files_of(managed), hidden(managed)) == (unpacked(), [])
    assert rules_of(admin, library)["ignore"] == ["Doom/1.0.zip"]


@pytest.mark.parametrize("step", [(UnpackingSteps, "_unpack"), (Carrier, "_move"), (Carrier, "_switch")])
def test_canceled_unpacking_leaves_nothing_but_a_folder_of_others(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str]
) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    is_moved = step[1] == "_switch"

    def cancel(*_: Any) -> None:
        if not is_moved:
            write(managed, "Doom/1.0/theirs")
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(*step, cancel)
        world.finish(admin, unpack_into(admin, managed, library, "1.0.zip").json()["taskId"])
    assert (files_of(managed), hidden(managed)) == ([] if is_moved else ["Doom/1.0/theirs"], [])
    assert (folder_of(managed) / "Doom").exists() != is_moved
    assert rules_of(admin, library)["ignore"] == []
    with world.services.db.read() as session:
        assert list(queries.all_changes(session)) == []


def test_a_folder_that_appears_is_kept(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    original = Carrier._move

    def appear(*given: Any) -> None:
        write(managed, "Doom/1.0/theirs")
        original(*given)

    monkeypatch.setattr(Carrier, "_move", appear)
    assert not done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert (files_of(managed), hidden(managed)) == (["Doom/1.0/theirs"], [])


def test_a_version_that_is_imported_in_between_is_not_ignored(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    original = Carrier._move

    def import_it(*given: Any) -> None:
        game = world.import_game(admin, library, "Doom")
        assert world.import_version(admin, game, "1.0.zip", launch="doom")["success"]
        original(*given)

    monkeypatch.setattr(Carrier, "_move", import_it)
    task = done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))
    assert (task["success"], "imported already" in task["error"]["description"]) == (False, True)
    assert (files_of(managed), hidden(managed)) == ([], [])
    assert rules_of(admin, library)["ignore"] == []


def test_a_folder_of_others_is_kept_if_undoing_is_killed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    discard, switch, steps = LibraryFolder.discard, Carrier._switch, list[str]()

    def refuse_first(*given: Any) -> None:
        if not steps:
            steps.append("refused")
            raise PackedVersionImported
        switch(*given)

    def kill_after_first_path(folder: LibraryFolder, paths: Sequence[str], change_id: str) -> None:
        discard(folder, paths[:1], change_id)
        if paths and steps == ["refused"]:
            steps.append("killed")
            write(managed, "Doom/1.0/theirs")
            raise Killed
        discard(folder, paths[1:], change_id)

    monkeypatch.setattr(Carrier, "_switch", refuse_first)
    monkeypatch.setattr(LibraryFolder, "discard", kill_after_first_path)
    assert not done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert steps == ["refused", "killed"]
    assert (files_of(managed), hidden(managed)) == (["Doom/1.0/theirs"], [])
    assert rules_of(admin, library)["ignore"] == []


def test_the_library_of_the_archive_is_removed_in_between(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    original = UnpackingSteps.carry_out

    def remove_first(*given: Any) -> None:
        assert admin.request("DELETE", SOURCES, json={"id": library["id"]}).is_success
        original(*given)

    monkeypatch.setattr(UnpackingSteps, "carry_out", remove_first)
    assert not done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    with world.services.db.read() as session:
        assert list(queries.all_changes(session)) == []
    assert admin.request("DELETE", SOURCES, json={"id": managed["id"]}).is_success


def test_places_that_are_not_free_are_refused(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    write(managed, "Doom", b"no folder")
    assert unpack_into(admin, managed, library, "1.0.zip").json()["type"] == "place-occupied"
    (folder_of(managed) / "Doom").unlink()

    write(managed, "Doom/1.0/doom")
    game = world.import_game(admin, managed, "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    shutil.rmtree(folder_of(managed) / "Doom/1.0")
    assert unpack_into(admin, managed, library, "1.0.zip").json()["type"] == "place-occupied"

    pack(tmp_path / "game", world.games / "a:b/1.0.zip")
    assert unpack_into(admin, managed, library, "1.0.zip", "a:b").json()["type"] == "invalid-input"
    assert not (folder_of(managed) / "a:b").exists()


def test_an_archive_behind_a_link_is_unpacked(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = world.library(admin), managed_library(admin)
    (world.games / "Doom").mkdir(parents=True)
    (world.games / "Doom/1.0.zip").symlink_to(pack(tmp_path / "game", world.games / ".packed/1.0.zip"))
    assert done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert files_of(managed) == unpacked()


def test_a_library_that_ignores_too_much_refuses(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    rules = {**rules_of(admin, library), "ignore": [f"{number:0200}" for number in range(MAX_IGNORED)]}
    assert admin.patch(SOURCES, {"id": library["id"], "rules": rules}).status_code == 200
    task = done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))
    assert (task["success"], "ignores 1,000 names" in task["error"]["description"]) == (False, True)
    assert (files_of(managed), hidden(managed)) == ([], [])
    answer = admin.post("/api/v1/admin/import/ignored", {"library": library["id"], "game": "Doom"})
    assert answer.json()["type"] == "too-much-ignored"


def test_an_archive_that_disappears_is_reported(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library, managed = packed_doom(world, admin, tmp_path)
    original = UnpackingSteps.carry_out

    def remove_first(*given: Any) -> None:
        (world.games / "Doom/1.0.zip").unlink()
        original(*given)

    monkeypatch.setattr(UnpackingSteps, "carry_out", remove_first)
    assert not done(world, admin, unpack_into(admin, managed, library, "1.0.zip"))["success"]
    assert (files_of(managed), hidden(managed)) == ([], [])
    assert row_of(computed(world, admin), "Doom")["versions"] == []
