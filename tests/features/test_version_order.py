"""The order of a game's versions: an admin's, and everybody who asks for the newest follows it."""

from functools import partial
from typing import Any

import httpx2
import pytest

from games import Release, add_game
from patching import NEW, OLD
from patching import Doom as PatchedDoom
from playdock.auth.permissions import Permission
from playdock.domain.events.rules import EventType
from playdock.features.patches.service import TASK_TYPE
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import GameMetadata
from playdock.models import Event
from playdock.stored import PatchVersionArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from playdock_client.choosing import choose_version
from playdock_client.responses import VersionInfo
from world import Caller, World, at_once

NOWHERE = "00000000-0000-4000-8000-000000000000"


def doom(world: World, *names: str) -> tuple[Caller, str]:
    return world.admin(), add_game(world, GameMetadata("Doom"), versions=[Release(name) for name in names])


def listed(caller: Caller, game: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(f"/api/v1/games/{game}/versions").json()
    return found


def names(versions: list[dict[str, Any]]) -> list[str]:
    return [each["name"] for each in versions]


def arrange(caller: Caller, game: str, *newest_first: str) -> httpx2.Response:
    """Order the versions by their names."""
    ids = {each["name"]: each["id"] for each in listed(caller, game)}
    return caller.patch(f"/api/v1/admin/game/{game}", {"versions": [ids.get(name, name) for name in newest_first]})


def newest(caller: Caller, game: str) -> str:
    """What the client would install."""
    versions = [VersionInfo(each["id"], each["name"], each["platform"]) for each in listed(caller, game)]
    return choose_version(versions, platforms=("Linux",)).name


def test_an_admin_can_reorder_versions(world: World) -> None:
    admin, game = doom(world, "1.0", "1.1", "beta")

    changed = arrange(admin, game, "1.1", "1.0", "beta")

    assert (changed.status_code, names(changed.json()["versions"])) == (200, ["1.1", "1.0", "beta"])
    assert names(listed(admin, game)) == ["beta", "1.0", "1.1"]
    assert names(admin.get(f"/api/v1/games/{game}").json()["versions"]) == ["beta", "1.0", "1.1"]
    assert newest(admin, game) == "1.1"


def test_the_listed_order_can_be_sent_back_unchanged(world: World) -> None:
    admin, game = doom(world, "1.0", "1.1", "1.2")
    shown = names(admin.get(f"/api/v1/admin/game/{game}").json()["versions"])
    assert names(arrange(admin, game, *shown).json()["versions"]) == shown == ["1.2", "1.1", "1.0"]


@pytest.mark.parametrize("given", [[], ["1.0"], ["1.0", "1.0"], ["1.0", "1.1", "1.1"], ["1.0", "1.1", NOWHERE]])
def test_an_order_must_contain_every_version_exactly_once(world: World, given: list[str]) -> None:
    admin, game = doom(world, "1.0", "1.1")

    refused = arrange(admin, game, *given)

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "versions")
    assert "each exactly once, newest first" in refused.json()["detail"]
    assert names(listed(admin, game)) == ["1.0", "1.1"]


def test_a_rejected_order_changes_no_other_field(world: World) -> None:
    admin, game = doom(world, "1.0")
    admin.patch(f"/api/v1/admin/game/{game}", {"name": "Quake", "versions": []})
    assert admin.get(f"/api/v1/admin/game/{game}").json()["name"] == "Doom"


def test_the_order_of_other_games_is_unchanged(world: World) -> None:
    admin, game = doom(world, "1.0", "1.1")
    other = add_game(world, GameMetadata("Quake"), versions=[Release("1.0"), Release("1.1")])
    arrange(admin, game, "1.0", "1.1")
    assert names(listed(admin, other)) == ["1.0", "1.1"]


def test_a_game_without_versions_accepts_an_empty_order(world: World) -> None:
    admin, game = doom(world)
    assert arrange(admin, game).status_code == 200


def test_reordering_requires_the_version_permission_too(world: World) -> None:
    admin, game = doom(world, "1.0", "1.1")
    path, ids = f"/api/v1/admin/game/{game}", [each["id"] for each in listed(admin, game)]
    little = world.token_of(admin, "system:game:update")
    enough = world.token_of(admin, "system:game:update", "system:game:version:update")

    answers = [caller.patch(path, {"versions": ids}).status_code for caller in (little, enough)]

    assert (answers, little.patch(path, {"name": "Quake"}).status_code) == ([403, 200], 200)


@pytest.mark.both_databases
def test_of_two_concurrent_reorderings_one_applies(world: World) -> None:
    admin, game = doom(world, "1", "2", "3", "4")
    wanted = [["1", "2", "3", "4"], ["3", "1", "4", "2"]]
    answers = at_once([partial(arrange, admin, game, *order) for order in wanted])
    assert [answer.status_code for answer in answers] == [200, 200]
    assert names(listed(admin, game))[::-1] in wanted


def test_a_version_imported_after_reordering_is_the_newest(world: World) -> None:
    for name in ("1.0", "1.1", "1.2"):
        world.put(f"Doom/{name}/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    for name in ("1.0", "1.1"):
        world.import_version(admin, game, name, launch="doom")
    arrange(admin, game, "1.0", "1.1")

    world.import_version(admin, game, "1.2", launch="doom")

    assert names(listed(admin, game)) == ["1.1", "1.0", "1.2"]


def test_a_delta_imported_after_reordering_is_based_on_the_newest_version(world: World) -> None:
    for name in ("1.0", "1.1", "1.2"):
        world.put(f"Doom/{name}/only in {name}")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    for name in ("1.0", "1.1"):
        world.import_version(admin, game, name, launch=f"only in {name}")
    arrange(admin, game, "1.0", "1.1")

    world.import_version(admin, game, "1.2", delta=True)

    bases = {each["name"]: each["baseId"] for each in listed(admin, game)}
    assert bases["1.2"] == next(each["id"] for each in listed(admin, game) if each["name"] == "1.0")
    paths = [file["path"] for file in world.manifest(admin, game, "1.2")["files"]]
    assert paths == ["only in 1.0", "only in 1.2"]


def test_patches_follow_the_new_order(world: World) -> None:
    game = PatchedDoom.at(world)
    old, new, _ = game.add("1.0", OLD), game.add("1.1", NEW), game.add("1.2", OLD)
    game.rest()

    arrange(game.admin, game.game, "1.0", "1.2", "1.1")

    assert (game.ask(old, new).status_code, game.ask(old, new).json()["type"]) == (404, "no-patches")
    assert game.updated(game.patches(new, old), NEW) == OLD


def test_pending_patches_made_obsolete_by_reordering_are_skipped(world: World) -> None:
    game = PatchedDoom.at(world)
    old, new, _ = game.add("1.0", OLD), game.add("1.1", NEW), game.add("1.2", OLD)
    game.rest()
    arrange(game.admin, game.game, "1.0", "1.2", "1.1")
    arguments = PatchVersionArguments(version=new, from_id=old)
    draft = NewTask(TASK_TYPE, Message("plan-import"), "late", Queue.LOW, (Permission.TASK_READ,), arguments)
    with world.services.db.write() as session:
        task_id = enqueue(session, draft, at=world.clock())

    task = world.finish(game.admin, task_id)

    assert (task["success"], task["error"]["title"]) == (False, "Not needed")


@pytest.mark.both_databases
def test_an_older_version_that_is_imported_later_is_no_update(world: World) -> None:
    for name in ("1.0", "1.2", "1.10", "extras"):
        world.put(f"Doom/{name}/doom", name.encode())
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")

    for name in ("1.10", "1.2", "1.0"):
        assert world.import_version(admin, game, name, launch="doom")["success"]

    assert names(listed(admin, game)) == ["1.0", "1.2", "1.10"]
    assert newest(admin, game) == "1.10"
    with world.services.db.read() as session:
        told = [row.event_type for row in session.query(Event).order_by(Event.id)]
    told = [each for each in told if each in {EventType.GAME_ADDED, EventType.VERSION_ADDED}]
    assert told == [EventType.GAME_ADDED]

    assert world.import_version(admin, game, "extras", launch="doom")["success"]
    assert names(listed(admin, game)) == ["1.0", "1.2", "1.10", "extras"]
