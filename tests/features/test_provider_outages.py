"""The import plan while a provider cannot be asked: what is said about it, and when it is asked again."""

from typing import Any

from plans import PLAN, PROGRAM, computed, row_of
from shops import FakeProvider
from waiting import wait_until
from world import Caller, World


def test_rows_name_an_unavailable_provider_and_are_retried(planning: World, shop: FakeProvider) -> None:
    shop.fault = "is closed"
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "Quake")
    assert (row["certain"], row["remark"]) == (False, "The Steam is closed.")
    shop.fault = ""
    planning.put("Hades/1.0/hades", PROGRAM, mode=0o755)
    assert row_of(computed(planning, admin), "Quake")["certain"]


def test_an_unavailable_provider_is_skipped_after_three_failures_for_the_same_reason(
    planning: World, shop: FakeProvider
) -> None:
    shop.fault = "is closed"
    for number in range(8):
        planning.put(f"Game {number}/1.0/x")
    admin = planning.admin()
    planning.library(admin)
    remarks = [row["remark"] for row in computed(planning, admin)["rows"]]
    assert len(shop.searched) == 3
    assert remarks == ["The Steam is closed."] * 8


def test_folders_are_looked_up_again_later_and_keep_their_ids(planning: World, shop: FakeProvider) -> None:
    shop.fault = "is closed"
    for number in range(30):
        planning.put(f"Game {number:02}/1.0/x")
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    before = computed(planning, admin)
    assert health(admin)["state"] == "warning"
    assert "31 folders could not be looked up: The Steam is closed." in health(admin)["detail"]
    assert admin.post(f"{PLAN}/task", {}).json()["taskId"] is None, "just asked"

    planning.clock.advance(minutes=2)
    shop.searched.clear()
    again = computed(planning, admin)
    assert len(shop.searched) == 3, "the rest is not read again while the provider fails"
    assert {row["id"] for row in again["rows"]} == {row["id"] for row in before["rows"]}

    shop.fault = ""
    planning.clock.advance(minutes=2)
    plan = computed(planning, admin)
    assert row_of(plan, "Quake")["certain"]
    assert (health(admin)["state"], health(admin)["detail"]) == ("good", "Steam.")


def test_an_intermittently_failing_provider_is_queried_for_every_folder(planning: World, shop: FakeProvider) -> None:
    shop.fault, shop.answers_every = "is closed", 3
    for number in range(8):
        planning.put(f"Game {number}/1.0/x")
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    assert len(shop.searched) == 8


def health(admin: Caller) -> dict[str, Any]:
    """What the dashboard says about providers."""
    checks: list[dict[str, Any]] = admin.get("/api/v1/admin/statistics").json()["health"]["checks"]
    return next(each for each in checks if each["nameCode"] == "check-providers")


def test_a_provider_that_keeps_failing_does_not_keep_folders_from_being_looked_up(
    planning: World, shop: FakeProvider
) -> None:
    shop.fault = "is closed"
    for number in range(41):
        planning.put(f"Game {number:02}/1.0/x")
    admin = planning.admin()
    planning.library(admin)
    first = {row["game"]: row["computed"] for row in computed(planning, admin)["rows"]}
    counts = []
    for _ in range(2):
        planning.clock.advance(minutes=2)
        rows = computed(planning, admin)["rows"]
        counts.append(sum(row["computed"] > first[row["game"]] for row in rows))
    assert counts == [25, 41]


def test_what_was_selected_is_refused_once_something_else_is_proposed(planning: World, shop: FakeProvider) -> None:
    shop.fault = "is closed"
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    seen = row_of(computed(planning, admin), "Quake")
    shop.fault = ""
    planning.clock.advance(minutes=2)
    assert row_of(computed(planning, admin), "Quake")["candidates"]
    refused = admin.post(PLAN, {"rows": [{"id": seen["id"]}]})
    assert (refused.status_code, refused.json()["type"]) == (404, "plan-row-unknown")


def test_a_library_that_is_away_does_not_keep_the_plan_busy(planning: World, shop: FakeProvider) -> None:
    shop.fault = "is closed"
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    planning.games.rename(planning.games.with_name("away"))
    planning.clock.advance(minutes=2)
    assert admin.post(f"{PLAN}/task", {}).json()["taskId"]
    planning.clock.advance(seconds=5)
    wait_until(lambda: admin.get(PLAN).json()["taskId"] is None)
    assert admin.post(f"{PLAN}/task", {}).json()["taskId"] is None
