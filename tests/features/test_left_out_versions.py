"""Which new versions rules leave out, and for how long."""

import shutil
from typing import Any

import pytest

from plans import PROGRAM
from playdock.domain.events.rules import EventType
from playdock.features.version_import.service import VersionImports
from playdock.kit.errors import Unavailable
from scanning import announced, left_out, look, set_rules, versions
from waiting import wait_until
from world import Caller, World

AUTOMATIC = "/api/v1/admin/import/automatic"


def stand(world: World, *names: str, rule: bool = True) -> tuple[Caller, dict[str, Any], str]:
    """Give an administrator, the library with its rule, and a game with imported versions."""
    admin = world.admin()
    for name in names:
        world.put(f"DOOM/{name}/doom", PROGRAM, mode=0o755)
    library = world.library(admin)
    game = world.import_game(admin, library, "DOOM")
    for name in names:
        assert world.import_version(admin, game, name, launch="doom")["success"]
    set_rules(admin, library, importVersions=rule)
    look(world, admin)
    return admin, library, game


def put_version(world: World, admin: Caller, name: str, program: str = "doom") -> None:
    world.put(f"DOOM/{name}/{program}", PROGRAM, mode=0o755)
    for _ in range(2):
        look(world, admin, later=31)


@pytest.mark.both_databases
def test_a_new_version_is_announced_if_another_one_was_missing_before(planning: World) -> None:
    admin, _, game = stand(planning, "1.0", "1.1")
    shutil.rmtree(planning.games / "DOOM/1.0")
    look(planning, admin, later=31)
    assert announced(planning, EventType.VERSION_MISSING) == ["1.0"]
    put_version(planning, admin, "1.2")
    assert announced(planning, EventType.VERSION_FOUND) == ["1.2"]

    # One that appears together with the loss may be the missing one.
    shutil.rmtree(planning.games / "DOOM/1.1")
    put_version(planning, admin, "1.3")
    assert announced(planning, EventType.VERSION_FOUND) == ["1.2"]
    assert left_out(admin) == dict.fromkeys(("1.2", "1.3"), "version-maybe-renamed")
    assert versions(admin, game) == ["1.1", "1.0"]


def test_an_imported_version_that_is_ignored_is_not_missing(planning: World) -> None:
    admin, library, game = stand(planning, "1.0-beta", "1.0")
    set_rules(admin, library, importVersions=True, ignore=["*beta*"])
    put_version(planning, admin, "1.1")
    wait_until(lambda: versions(admin, game) == ["1.1", "1.0", "1.0-beta"])
    assert left_out(admin) == {}


def test_what_was_undone_is_not_imported_when_a_missing_version_returns(planning: World) -> None:
    admin, _, game = stand(planning, "1.0")
    put_version(planning, admin, "1.1")
    wait_until(lambda: versions(admin, game) == ["1.1", "1.0"])
    [found] = admin.get(AUTOMATIC).json()
    assert admin.delete(f"{AUTOMATIC}/{found['id']}").status_code == 204
    away = planning.folder / "away"
    (planning.games / "DOOM/1.0").rename(away)
    look(planning, admin, later=31)
    planning.finish(admin, admin.post("/api/v1/admin/import/version/new").json()["taskId"])
    assert left_out(admin) == {"1.1": "version-maybe-renamed"}

    away.rename(planning.games / "DOOM/1.0")
    for _ in range(3):
        look(planning, admin, later=31)
    assert (versions(admin, game), left_out(admin)) == (["1.0"], {})


def test_reasons_of_a_rule_end_with_it(planning: World) -> None:
    admin, library, _ = stand(planning, "1.0")
    put_version(planning, admin, "1.1", "other")
    assert left_out(admin) == {"1.1": "version-without-program"}
    set_rules(admin, library, importVersions=True, ignore=["*.tmp"])
    assert left_out(admin) == {"1.1": "version-without-program"}
    set_rules(admin, library)
    assert left_out(admin) == {}


def test_a_version_that_cannot_be_read_now_is_imported_later(planning: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, _, game = stand(planning, "1.0")
    with monkeypatch.context() as patched:
        patched.setattr(VersionImports, "begin_same", is_away)
        put_version(planning, admin, "1.1")
    assert (versions(admin, game), left_out(admin)) == (["1.0"], {})
    for _ in range(2):
        look(planning, admin, later=61)
    wait_until(lambda: versions(admin, game) == ["1.1", "1.0"])
    assert announced(planning, EventType.VERSION_IMPORTED) == ["1.1"]


def test_a_person_is_asked_about_a_version_that_cannot_be_read_for_long(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, _, game = stand(planning, "1.0")
    monkeypatch.setattr(VersionImports, "begin_same", is_away)
    put_version(planning, admin, "1.1")
    look(planning, admin, later=3600)
    assert (versions(admin, game), left_out(admin)) == (["1.0"], {"1.1": "unavailable"})
    assert announced(planning, EventType.VERSION_FOUND) == ["1.1"]


def is_away(*_: Any, **__: Any) -> None:
    raise Unavailable("The disk is away.")
