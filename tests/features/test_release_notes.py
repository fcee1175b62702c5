"""Release notes of versions, from what publishers announced at Steam."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from playdock.features.release_notes import rules
from playdock.metadata.release_notes import ReleaseNotes
from providers.games import game
from providers.standin import Answer, html, other_json
from providers.steam import SteamStandIn
from world import Caller, World, running_world

STARDEW = game("Stardew Valley")


def announced(*titles: str) -> list[ReleaseNotes]:
    return [ReleaseNotes(title, "", "", datetime(2026, 1, 1 + n, tzinfo=UTC)) for n, title in enumerate(titles)]


@pytest.mark.parametrize(
    ("names", "number"),
    [
        (("1.5.78 (GOG)", "Hollow Knight v1.5.78 (GOG)"), "1.5.78"),
        (("", "Hollow Knight v1.5.78 (GOG)"), "1.5.78"),
        (("", "doom_1.9"), "1.9"),
        (("", "build 12345"), "12345"),
        (("", "1.4a.zip"), "1.4a"),
        (("", "default"), None),
        (("", "Anno 1800"), None),
        (("Deluxe Edition", "2"), None),
    ],
)
def test_the_number_of_a_version_is_read_from_its_names(names: tuple[str, str], number: str | None) -> None:
    assert rules.number_of(*names) == number


@pytest.mark.parametrize(
    ("number", "title", "is_about"),
    [
        ("1.4", "Update 1.4", True),
        ("1.4", "v1.4: new maps", True),
        ("1.4", "Patch 1.4.0", True),
        ("1.4", "Patch 1.4.1", False),
        ("1.4", "Patch 11.4", False),
        ("1.4", "Patch 0.1.4", False),
        ("1.4", "Patch 1.4b", False),
        ("1.4", "Patch 1.40", False),
        ("12345", "Build 12345", True),
        ("12345", "Build 123456", False),
    ],
)
def test_an_announcement_is_about_a_version_if_its_title_has_the_whole_number(
    number: str, title: str, *, is_about: bool
) -> None:
    assert (rules.about(number, announced("Sale", title)) is not None) == is_about


def test_a_long_text_is_cut_at_a_paragraph() -> None:
    notes = ReleaseNotes("1.4", "\n\n".join(["word " * 500] * 20), "https://example.org/1", datetime.now(UTC))
    content = rules.content_of(notes, provider="Steam")
    assert len(content) <= 15_000
    assert content.endswith("word \n\n[Steam](https://example.org/1)")


@pytest.fixture
def steam() -> Iterator[SteamStandIn]:
    with SteamStandIn() as standin:
        yield standin


@pytest.fixture
def world(steam: SteamStandIn, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    wanted: dict[str, Any] = {**steam.settings, "metadata_providers": "Steam"}
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **wanted) as world:
        yield world


def version_of(world: World, admin: Caller, *names: str) -> str:
    """Import versions of a game from Steam, and return its id."""
    for name in names:
        (world.games / "Stardew" / name).mkdir(parents=True)
        (world.games / "Stardew" / name / "stardew").write_bytes(name.encode())
    metadata = {"sourceId": "Steam", "id": str(STARDEW.steam_id), "name": STARDEW.name}
    body = {"library": world.library(admin)["id"], "path": "Stardew", "metadata": metadata}
    assert world.finish(admin, admin.post("/api/v1/admin/import/game", body).json()["taskId"])["success"]
    game_id: str = admin.get("/api/v1/admin/library").json()["games"][0]["game"]["id"]
    for name in names:
        assert world.import_version(admin, game_id, name, launch="stardew")["success"]
    for task in admin.get("/api/v1/admin/task").json()["runningTasks"]:
        world.finish(admin, task["id"])
    return game_id


def notes_of(admin: Caller, game_id: str) -> dict[str, dict[str, Any]]:
    articles = admin.get("/api/v1/news", params={"game": game_id}).json()
    return {each["versionName"]: each for each in articles if each["versionName"]}


def test_an_imported_version_gets_what_its_publisher_announced(world: World, steam: SteamStandIn) -> None:
    admin = world.admin()
    game_id = version_of(world, admin, "v1.5.0", "v1.6.3", "v1.7.0", "unstable")
    found = notes_of(admin, game_id)
    assert sorted(found) == ["v1.5.0", "v1.6.3"]
    patch = found["v1.6.3"]
    assert patch["title"] == "1.6.3 Patch notes"
    assert patch["content"].startswith("- Fixed a crash")
    assert "[Steam](https://store.steampowered.com/news/app/" in patch["content"]
    assert "javascript:" not in found["v1.5.0"]["content"]
    assert patch["publishedAt"].startswith("2023-11-")
    assert len([each for each in steam.requests if "ISteamNews" in each.path]) == 1
    bob = world.person("bob")
    assert bob.get("/api/v1/notifications").json() == []


def test_written_notes_are_kept_and_others_can_be_looked_for_later(world: World, steam: SteamStandIn) -> None:
    admin = world.admin()
    game_id = version_of(world, admin, "v1.5.0", "nightly")
    versions = {each["name"]: each["id"] for each in admin.get(f"/api/v1/admin/game/{game_id}").json()["versions"]}
    [first] = notes_of(admin, game_id).values()
    assert admin.patch(f"/api/v1/admin/news/{first['id']}", {"content": "Mine"}).is_success

    again = admin.post(f"/api/v1/admin/version/{versions['v1.5.0']}/notes")
    assert world.finish(admin, again.json()["taskId"])["success"]
    assert notes_of(admin, game_id)["v1.5.0"]["content"] == "Mine"
    assert admin.post(f"/api/v1/admin/version/{versions['nightly']}/notes").json()["type"] == "no-release-notes"
    assert admin.post("/api/v1/admin/version/unknown/notes").status_code == 404
    assert world.person("bob").post(f"/api/v1/admin/version/{versions['v1.5.0']}/notes").status_code == 403

    assert admin.delete(f"/api/v1/admin/news/{first['id']}").is_success
    again = admin.post(f"/api/v1/admin/version/{versions['v1.5.0']}/notes")
    assert world.finish(admin, again.json()["taskId"])["success"]
    assert notes_of(admin, game_id)["v1.5.0"]["content"] != "Mine"


@pytest.mark.parametrize("answer", [html(503), html(403), other_json(), other_json('{"appnews": {"newsitems": 1}}')])
def test_a_provider_that_fails_fails_no_task(world: World, steam: SteamStandIn, answer: Answer) -> None:
    admin = world.admin()
    steam.override("/api/ISteamNews/", answer)
    game_id = version_of(world, admin, "v1.5.0")
    tasks = admin.get("/api/v1/admin/task").json()
    ended = [each for each in tasks["historicalTasks"] if each["taskGroup"] == "fetch:release-notes"]
    assert [each["success"] for each in ended] == [True]
    assert notes_of(admin, game_id) == {}
