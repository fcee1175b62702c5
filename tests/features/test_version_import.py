"""The import of versions: what can be imported, what is asked for, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from versions_to_import import PRELOAD, VERSIONS, doom, start, unimported, versions
from world import Caller, World

FORBIDDEN_NAMES = ["../../../etc", "/etc", "", ".", "..", "a/b", "1.0/data", "1.0/..", ".hidden", "1.0.ZIP", "missing"]


def test_versions_are_listed_in_natural_order(world: World) -> None:
    for name in ("1.10", "1.9", "v1.0", "1.0-beta", "2024-01-05", "1.2.zip"):
        (world.games / "Doom" / name).mkdir(parents=True)
    admin, game = doom(world)
    assert unimported(admin, game) == ["1.0-beta", "v1.0", "1.2.zip", "1.9", "1.10", "2024-01-05"]


def test_an_imported_version_is_no_longer_listed(world: World) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.1/doom")
    admin, game = doom(world)

    assert world.import_version(admin, game, "1.0", launch="doom")["success"]

    assert unimported(admin, game) == ["1.1"]


@pytest.mark.parametrize("version", FORBIDDEN_NAMES)
def test_unlisted_versions_are_not_found(world: World, version: str) -> None:
    world.put("Doom/1.0/data/doom")
    world.put("Doom/.hidden/doom")
    admin, game = doom(world)

    answers = start(admin, game, version), admin.get(PRELOAD, params={"id": game, "version": version})

    assert [(each.status_code, each.json()["type"]) for each in answers] == [(404, "version-not-listed")] * 2
    assert not [each.text for each in answers if str(world.folder) in each.text]


def test_a_name_with_a_null_character_is_rejected(world: World) -> None:
    admin, game = doom(world)
    assert start(admin, game, "1.0\0").status_code == 400
    assert admin.get(PRELOAD, params={"id": game, "version": "1.0\0"}).status_code == 400


def test_a_symlink_out_of_the_library_is_not_a_version(world: World) -> None:
    admin, game = doom(world)
    (world.games / "Doom/etc").symlink_to("/etc")
    assert (unimported(admin, game), start(admin, game, "etc").status_code) == ([], 404)


@pytest.mark.parametrize("game", ["nothing", "", "..", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_game_is_not_found(world: World, game: str) -> None:
    admin = world.admin()
    answers = (
        start(admin, game),
        admin.get(VERSIONS, params={"id": game}),
        admin.get(PRELOAD, params={"id": game, "version": "1.0"}),
    )
    assert [(each.status_code, each.json()["type"]) for each in answers] == [(404, "game-unknown")] * 3


@pytest.mark.parametrize(("path", "missing"), [(VERSIONS, ["id"]), (PRELOAD, ["id", "version"])])
def test_a_missing_parameter_is_named(world: World, path: str, missing: list[str]) -> None:
    refused = world.admin().get(path)
    assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, missing)


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [
        ({"platform": "Amiga"}, ["platform"]),
        ({"platform": "Linux\n"}, ["platform"]),
        ({"platform": None}, ["platform"]),
        ({"delta": None}, ["delta"]),
        ({"delta": "no"}, ["delta"]),
        ({"launch": None}, ["launch"]),
        ({"launch": ""}, ["launch"]),
        ({"launch": "doom\0"}, ["launch"]),
        ({"onlySetup": True}, ["setup"]),
        ({"onlySetup": True, "setup": ""}, ["setup"]),
        ({"launch": "quake", "setup": "quake.exe"}, ["launch", "setup"]),
        ({"launch": "../1.0/doom"}, ["launch"]),
        ({"launch": "/bin/sh"}, ["launch"]),
        ({"launch": "data"}, ["launch"]),
        ({"launch": "DOOM"}, ["launch"]),
        ({"umu": "x"}, ["umu"]),
    ],
)
def test_an_invalid_body_is_rejected_with_the_fields(world: World, wanted: dict[str, Any], fields: list[str]) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.0/data/wad")
    admin, game = doom(world)

    refused = start(admin, game, **wanted)

    assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, fields)
    assert versions(admin, game) == []


@pytest.mark.parametrize(
    ("written", "platform"),
    [("windows", "Windows"), ("LINUX", "Linux"), ("macos", "macOS"), ("MacOS", "macOS"), ("Linux", "Linux")],
)
def test_the_platform_is_case_insensitive(world: World, written: str, platform: str) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    assert world.import_version(admin, game, "1.0", platform=written, launch="doom")["success"]
    assert versions(admin, game)[0]["platform"] == platform


def test_only_setup_defaults_to_false(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")
    assert versions(admin, game)[0]["onlySetup"] is False


def test_a_setup_only_version_requires_no_launch_command(world: World) -> None:
    world.put("Doom/1.0/setup.exe")
    admin, game = doom(world)

    task = world.import_version(admin, game, "1.0", onlySetup=True, setup="setup.exe", setupArgs="/S")

    version = versions(admin, game)[0]
    assert task["success"]
    assert (version["onlySetup"], version["launch"], version["setup"], version["setupArgs"]) == (
        True,
        "",
        "setup.exe",
        "/S",
    )


def test_all_requested_values_are_stored(world: World) -> None:
    world.put("Doom/1.0/bin/doom")
    world.put("Doom/1.0/install.sh")
    admin, game = doom(world)
    asked = {"launchArgs": "-iwad a.wad", "setupArgs": "--quiet", "compatId": "umu-42", "onlySetup": False}

    world.import_version(admin, game, "1.0", launch="./bin/doom", setup="./install.sh", **asked)

    version = versions(admin, game)[0]
    kept = {name: version[name] for name in asked}
    assert (version["launch"], version["setup"], kept) == ("bin/doom", "install.sh", asked)


def test_a_command_may_be_a_symlink(world: World) -> None:
    world.put("Doom/1.0/doom-1.0")
    (world.games / "Doom/1.0/doom").symlink_to("doom-1.0")
    admin, game = doom(world)
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]


def test_a_version_cannot_be_imported_twice(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")

    again = start(admin, game)

    assert (again.status_code, again.json()["type"]) == (409, "version-already-imported")
    assert len(versions(admin, game)) == 1


@pytest.mark.both_databases
def test_of_eight_concurrent_imports_of_a_version_one_is_started(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    callers = [world.with_token(admin.token) for _ in range(8)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda caller: start(caller, game), callers))

    started = [answer.json()["taskId"] for answer in answers if answer.status_code == 202]
    running = {answer.json()["taskId"] for answer in answers if answer.json().get("type") == "task-already-running"}
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 7
    assert running <= set(started)
    assert world.finish(admin, started[0])["success"]
    assert len(versions(admin, game)) == 1


def test_an_import_requires_exactly_its_permission(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    others = world.token_of(admin, "system:import:game:read", "system:library:read", "system:task:read")
    program = world.token_of(admin, "system:import:version:read")

    assert start(world.any_user(), game).status_code == 401
    assert start(world.person("bob"), game).status_code == 403
    assert start(others, game).status_code == 403
    assert start(program, game).status_code == 202


def test_the_reason_why_a_version_could_not_be_imported_stays_until_it_is(world: World) -> None:
    device = world.put("Doom/1.0/con.txt")
    world.put("Doom/1.0/doom")
    admin, game = doom(world)

    def failed(caller: Caller = admin) -> Any:
        return caller.get(f"{VERSIONS}/failure", params={"id": game, "version": "1.0"}).json().get("taskId")

    assert failed() is None
    task = world.import_version(admin, game, "1.0", launch="doom")
    assert not task["success"]
    assert failed() == task["id"]
    assert failed(world.person("bob")) is None

    device.unlink()
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    assert failed() is None
