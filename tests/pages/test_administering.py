"""What administrators do every month, with clicks alone: webhooks, answers to requests, and rules of game folders."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from databases import SqliteDatabases
from pages.conftest import Visit
from plans import PROGRAM
from providers.standin import Answer, RecordedRequest, StandIn
from waiting import wait_until
from world import World, running_world


class Program(StandIn):
    """A program that takes what webhooks send it."""

    def respond(self, request: RecordedRequest) -> Answer:
        return Answer(204 if request.headers.get("webhook-signature") else 400)


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    wanted: dict[str, Any] = {"webhooks_private_networks": True, "library_quiet_seconds": 1}
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **wanted) as world:
        yield world


def test_a_webhook_is_created_paused_delivered_again_and_deleted(world: World, visit: Visit) -> None:
    admin = world.admin()
    with Program() as program:
        page = visit("ada").open("/admin/webhooks")
        page.get_by_role("button", name="New webhook").click()
        dialog = page.get_by_role("dialog", name="New webhook")
        dialog.get_by_label("URL").fill("ftp://example.org")
        dialog.get_by_role("button", name="Create").click()
        expect(dialog.get_by_label("URL")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("URL").fill(f"{program.address}/hook")
        dialog.get_by_label("News").check()
        dialog.get_by_role("button", name="Create").click()
        expect(dialog.get_by_text("It is shown only once.")).to_be_visible()
        dialog.get_by_role("button", name="Close").last.click()

        page.get_by_role("button", name="Send a test").click()
        deliveries = page.get_by_role("list", name="Deliveries").get_by_role("listitem")
        expect(deliveries).to_contain_text(["Test Delivered"])

        article = {"title": "Game night", "content": "We play."}
        assert admin.post("/api/v1/admin/news", article).is_success
        # The runner does so each minute.
        world.services.webhooks.start_due()
        expect(deliveries).to_contain_text(["News Delivered", "Test Delivered"])
        deliveries.first.get_by_role("button", name="Send again").click()
        wait_until(lambda: len(program.requests) == 3)
        ids = [each.headers["webhook-id"] for each in program.requests]
        assert ids[1] == ids[2] != ids[0]

        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("alertdialog").or_(page.get_by_role("dialog")).get_by_role("button", name="Delete").click()
        expect(page.get_by_text("No webhooks")).to_be_visible()
    assert program.refusals == []


def test_a_request_is_made_wanted_by_others_and_answered(world: World, visit: Visit) -> None:
    admin = world.admin()
    (world.games / "Portal/1.0").mkdir(parents=True)
    (world.games / "Portal/1.0/portal").write_bytes(PROGRAM)
    world.library(admin)
    world.person("bob")
    world.person("eve")
    page = visit("bob").open("/requests")
    page.get_by_role("button", name="Request a game").first.click()
    page.get_by_label("Name of the game").fill("Portal")
    page.get_by_role("button", name="Request Portal").last.click()
    expect(page.get_by_role("button", name="Portal: 1 player wants it")).to_be_visible()
    other = visit("eve").open("/requests")
    other.get_by_role("button", name="Portal: 1 player wants it").click()
    expect(other.get_by_role("button", name="Portal: 2 players want it")).to_be_visible()

    # The folder is offered because it is in the plan.
    admin.post("/api/v1/admin/import/plan/task", {})
    ours = visit("ada").open("/requests")
    ours.get_by_role("button", name="Actions for Portal").click()
    ours.get_by_role("menuitem", name="Answer").click()
    dialog = ours.get_by_role("dialog")
    dialog.get_by_label("Answer").select_option("Accepted")
    dialog.get_by_label("Folder", exact=True).select_option("Portal")
    dialog.get_by_label("Comment").fill("This evening")
    dialog.get_by_role("button", name="Send answer").click()
    expect(ours.get_by_text("This evening")).to_be_visible()

    page.reload()
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible()
    page.get_by_role("button", name="Notifications").first.click()
    expect(page.get_by_text("This evening").last).to_be_visible()


def test_a_rule_imports_a_new_version_which_is_undone_with_a_click(world: World, visit: Visit) -> None:
    admin = world.admin()
    library = world.library(admin)
    folder = world.games / "Doom"
    (folder / "1.0").mkdir(parents=True)
    (folder / "1.0/doom").write_bytes(PROGRAM)
    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    page = visit("ada").open("/admin/libraries")
    page.get_by_role("button", name=f"Edit {library['name']}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Import new versions of imported games").check()
    dialog.get_by_label("Ignore").fill("*.part")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    told = "Automatic import: Import new versions of imported games · 1 pattern ignored"
    expect(page.get_by_text(told, exact=True)).to_be_visible()

    for name in ("1.1", "1.2.part"):
        (folder / name).mkdir()
        (folder / name / "doom").write_bytes(PROGRAM + name.encode())
    page.goto("/admin/import")
    page.get_by_role("button", name="Rescan").click()
    # The watcher and the schedule request scans, too, but a minute later.
    scans = world.services.library_scans
    wait_until(lambda: scans.request() and len(admin.get(f"/api/v1/admin/game/{game}").json()["versions"]) == 2)
    page.goto("/admin/import/runs")
    page.get_by_role("button", name="Undo the import of Doom 1.1").click()
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    found = admin.get(f"/api/v1/admin/game/{game}").json()["versions"]
    assert [each["name"] for each in found] == ["1.0"]
    assert (folder / "1.1/doom").exists()
