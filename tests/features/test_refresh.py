"""Refreshing games: what a provider says now is taken, what an administrator wrote is kept."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from msgspec.structs import replace

from drawing import png
from games import add_game
from playdock.fetching.requests import Deadline
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, Role, TagFact, TagKind
from playdock.metadata.providers import Manual, Providers
from shops import FakeProvider
from world import Caller, World, at_once, running_world

OLD = GameMetadata("Doom", short="Old.", description="Old text.", developers=("id",), external_ids={"GOG": "doom"})
NEW = GameMetadata(
    "DOOM (1993)",
    short="New.",
    tags=(TagFact(TagKind.GENRE, "Shooter"),),
    pictures=(ImageOffer(Role.COVER, "cover"), ImageOffer(Role.CAROUSEL, "shot")),
    external_ids={"IGDB": "673"},
)


@dataclass
class SlowShop(FakeProvider):
    """A provider that waits, once it was asked, for a test to let it go on."""

    asked: threading.Event = field(default_factory=threading.Event)
    resume: threading.Event = field(default_factory=threading.Event)

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        self.asked.set()
        assert self.resume.wait(120)
        return super().fetch(ids, within=within)


@dataclass
class ProviderSetup:
    """A world with two providers."""

    world: World
    near: FakeProvider
    slow: SlowShop


@pytest.fixture
def provider_setup(database_url: str, tmp_path: Path) -> Iterator[ProviderSetup]:
    files = {"cover": png(color=(1, 2, 3)), "shot": png(800, 450), "broken": b"<html>"}
    near = FakeProvider("Near", {"d1": NEW, "d2": replace(NEW, pictures=())}, files)
    slow = SlowShop("Slow", {"s1": replace(NEW, name="Slow Doom")}, files)
    with running_world(tmp_path, database_url=database_url, providers=Providers([near, slow, Manual()])) as world:
        yield ProviderSetup(world, near, slow)


def doom(provider_setup: ProviderSetup, *roles: Role, facts: GameMetadata = OLD) -> tuple[Caller, str]:
    return provider_setup.world.admin(), add_game(provider_setup.world, facts, pictures=roles)


def ask(caller: Caller, game: str, **wanted: Any) -> httpx2.Response:
    return caller.post(f"/api/v1/admin/game/{game}/refresh", wanted)


def refresh(provider_setup: ProviderSetup, admin: Caller, game: str, **wanted: Any) -> dict[str, Any]:
    """Refresh a game and return the task when it has ended."""
    started = ask(admin, game, **{"sourceId": "Near", "id": "d1", **wanted})
    assert started.status_code == 202, started.text
    return provider_setup.world.finish(admin, started.json()["taskId"])


def until_all_is_done(provider_setup: ProviderSetup, admin: Caller) -> None:
    """Wait for what a task does after its end: the next one of its lane begins when that is done."""
    started = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:sessions"})
    provider_setup.world.finish(admin, started.json()["id"])


def shown(admin: Caller, game: str) -> dict[str, Any]:
    details: dict[str, Any] = admin.get(f"/api/v1/admin/game/{game}").json()
    return details


def stored(world: World) -> set[str]:
    return set(world.services.blobs.keys("objects", before=world.clock()))


def belonging(game: dict[str, Any]) -> set[str]:
    """The keys of everything that is stored for a game's pictures."""
    renditions = [each for picture in game["pictures"] for each in picture["renditions"]]
    return {f"objects/{each['objectId']}" for each in renditions}


def test_a_refresh_updates_only_the_fields_the_provider_has(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup, Role.BANNER)
    before = shown(admin, game)

    task = refresh(provider_setup, admin, game)

    after = shown(admin, game)
    assert (task["success"], task["taskGroup"]) == (True, "refresh:game")
    assert (after["name"], after["shortDescription"], after["description"]) == ("DOOM (1993)", "New.", "Old text.")
    assert [each["name"] for each in (*after["developers"], *after["tags"])] == ["id", "Shooter"]
    assert (after["metadataSource"], after["metadataId"]) == ("Near", "d1")
    assert after["externalIds"] == {"GOG": "doom", "IGDB": "673"}
    assert (after["banner"], len(after["carousel"]), after["cover"] is None) == (before["banner"], 1, False)
    near = {"name", "shortDescription", "tags", "cover", "carousel"}
    assert {field for field, source in after["sources"].items() if source == "Near"} == near
    assert before["refreshed"] < after["refreshed"]


def test_a_refresh_does_not_overwrite_manual_fields(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup, Role.COVER)
    before = admin.patch(f"/api/v1/admin/game/{game}", {"name": "Mine", "tags": [], "cover": None}).json()

    assert refresh(provider_setup, admin, game)["success"]

    after = shown(admin, game)
    assert {name: after[name] for name in ("name", "tags", "cover")} == {"name": "Mine", "tags": [], "cover": None}
    assert {after["sources"][name] for name in ("name", "tags", "cover")} == {"Manual"}
    assert (before["shortDescription"], after["shortDescription"]) == ("Old.", "New.")


def test_a_refresh_overwrites_manual_fields_on_request(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    admin.patch(f"/api/v1/admin/game/{game}", {"name": "Mine", "shortDescription": "Mine.", "cover": None})

    refresh(provider_setup, admin, game, overwrite=["name", "cover"])

    after = shown(admin, game)
    assert (after["name"], after["shortDescription"]) == ("DOOM (1993)", "Mine.")
    assert (after["cover"] is None, after["sources"]["cover"]) == (False, "Near")


def test_edits_made_during_a_refresh_are_kept(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    others = stored(provider_setup.world)
    started = ask(admin, game, sourceId="Slow", id="s1").json()
    assert provider_setup.slow.asked.wait(120)
    admin.patch(f"/api/v1/admin/game/{game}", {"name": "Mine", "cover": None})
    provider_setup.slow.resume.set()

    assert provider_setup.world.finish(admin, started["taskId"])["success"]

    after = shown(admin, game)
    assert (after["name"], after["cover"], after["shortDescription"]) == ("Mine", None, "New.")
    until_all_is_done(provider_setup, admin)
    assert stored(provider_setup.world) - others == belonging(after)


def test_a_refresh_deletes_replaced_images_and_keeps_uploaded_ones(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup, Role.COVER)
    old = shown(admin, game)["cover"]
    parts = [("files", ("mine.png", png()))]
    mine = admin.request("POST", "/api/v1/admin/game/image", data={"id": game}, files=parts).json()[0]["id"]

    refresh(provider_setup, admin, game)

    after = shown(admin, game)
    assert old not in after["mImageLibraryObjectIds"]
    assert mine in after["mImageLibraryObjectIds"]
    assert admin.get(f"/api/v1/object/{old}").status_code == 404


def test_a_refresh_leaves_no_orphaned_images(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup, Role.COVER, Role.CAROUSEL)
    others = stored(provider_setup.world) - belonging(shown(admin, game))

    for _ in range(2):
        refresh(provider_setup, admin, game)

    until_all_is_done(provider_setup, admin)
    assert stored(provider_setup.world) - others == belonging(shown(admin, game))


def test_the_games_own_provider_is_used_by_default(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    refresh(provider_setup, admin, game, id="d2")
    provider_setup.near.fetched.clear()

    started = ask(admin, game)

    assert provider_setup.world.finish(admin, started.json()["taskId"])["success"]
    assert provider_setup.near.fetched == [["d2"]]


def test_a_provider_error_fails_the_task_and_changes_nothing(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup, Role.COVER)
    before, kept = shown(admin, game), stored(provider_setup.world)
    provider_setup.near.fault = "is closed"

    task = refresh(provider_setup, admin, game)

    until_all_is_done(provider_setup, admin)
    assert (task["success"], "The Near is closed." in task["error"]["description"]) == (False, True)
    assert (shown(admin, game), stored(provider_setup.world)) == (before, kept)


def test_a_game_unknown_to_the_provider_fails_the_task(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    before = shown(admin, game)
    task = refresh(provider_setup, admin, game, id="d9")
    assert (task["success"], "no game with the ID d9" in task["error"]["description"]) == (False, True)
    assert shown(admin, game) == before


def test_an_unusable_image_is_skipped_and_logged(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup, Role.BANNER)
    offers = (ImageOffer(Role.BANNER, "broken"), ImageOffer(Role.COVER, "cover"))
    provider_setup.near.games = {"d1": replace(NEW, pictures=offers)}
    before = shown(admin, game)

    task = refresh(provider_setup, admin, game)

    after = shown(admin, game)
    assert (task["success"], "Skipped an image (banner)" in "".join(task["log"])) == (True, True)
    assert (after["banner"], after["cover"] is None) == (before["banner"], False)


def test_metadata_of_another_game_is_rejected(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    refresh(provider_setup, admin, game)
    other = add_game(provider_setup.world, GameMetadata("Quake"))

    refused = ask(admin, other, sourceId="Near", id="d1")

    assert (refused.status_code, refused.json()["type"]) == (409, "metadata-already-used")
    assert refresh(provider_setup, admin, game)["success"]


def test_concurrent_refreshes_cannot_use_the_same_metadata_twice(provider_setup: ProviderSetup) -> None:
    admin, first = doom(provider_setup)
    games = [first, add_game(provider_setup.world, GameMetadata("Quake"))]
    started = [ask(admin, game, sourceId="Slow", id="s1").json()["taskId"] for game in games]
    provider_setup.slow.resume.set()

    tasks = [provider_setup.world.finish(admin, task_id) for task_id in started]

    assert [task["success"] for task in tasks] == [True, False]
    assert tasks[1]["error"]["title"] == "Metadata taken"
    assert shown(admin, games[1])["name"] == "Quake"


@pytest.mark.both_databases
def test_only_one_task_refreshes_a_game_at_a_time(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    answers = at_once([lambda: ask(admin, game, sourceId="Slow", id="s1")] * 4)
    provider_setup.slow.resume.set()

    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409]
    assert len({answer.json()["taskId"] for answer in answers}) == 1


def test_deleting_a_game_cancels_its_refresh_and_leaves_no_images(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    kept = stored(provider_setup.world)
    started = ask(admin, game, sourceId="Slow", id="s1").json()
    assert provider_setup.slow.asked.wait(120)
    assert admin.delete(f"/api/v1/admin/game/{game}").status_code == 204
    provider_setup.slow.resume.set()

    task = provider_setup.world.finish(admin, started["taskId"])

    until_all_is_done(provider_setup, admin)
    assert (task["success"], task["error"]["title"]) == (False, "Cancelled")
    assert stored(provider_setup.world) == kept


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ({}, "sourceId"),
        ({"sourceId": "Manual", "id": "x"}, "sourceId"),
        ({"sourceId": "Nobody", "id": "x"}, "sourceId"),
        ({"sourceId": "Near"}, "id"),
        ({"sourceId": "Near", "id": ""}, "id"),
        ({"overwrite": ["smell"]}, "overwrite[0]"),
    ],
)
def test_an_invalid_provider_is_rejected_with_the_field(
    provider_setup: ProviderSetup, wanted: dict[str, Any], named: str
) -> None:
    admin, game = doom(provider_setup)
    refused = ask(admin, game, **wanted)
    assert (refused.status_code, [each["field"] for each in refused.json()["errors"]]) == (400, [named])


def test_permission_to_update_games_suffices_to_watch_the_task(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    program = provider_setup.world.token_of(admin, "system:game:update")
    started = ask(program, game, sourceId="Near", id="d1").json()
    assert provider_setup.world.finish(program, started["taskId"])["success"]


def test_a_corrected_match_removes_the_external_ids_of_the_wrong_game(provider_setup: ProviderSetup) -> None:
    admin, game = doom(provider_setup)
    provider_setup.near.games = {**provider_setup.near.games, "d9": replace(NEW, external_ids={"Steam": "9"})}
    refresh(provider_setup, admin, game)
    assert ids_elsewhere(admin, game) == {"GOG": "doom", "IGDB": "673"}, "another provider adds to what is known"
    refresh(provider_setup, admin, game, id="d9")
    assert ids_elsewhere(admin, game) == {"Steam": "9"}


def ids_elsewhere(admin: Caller, game: str) -> dict[str, str]:
    found: dict[str, str] = admin.get(f"/api/v1/admin/game/{game}").json()["externalIds"]
    return found
