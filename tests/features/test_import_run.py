"""Runs of the import plan when things go otherwise than planned: rivals, races, faults, and taking back."""

import errno
import threading
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select, update

from audit import told_of
from drawing import png
from plans import GAMES, PLAN, PROGRAM, RUN, apply, computed, imported, row_of
from playdock.auth.permissions import Permission
from playdock.kit.messages import Message
from playdock.metadata.errors import RateLimited, StatusRefused
from playdock.metadata.game_metadata import ImageOffer, Role
from playdock.models import RunRow, Version
from playdock.stored import ImportRunArguments, run_subject
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from shops import FakeProvider
from world import Caller, World, at_once


def put_game(world: World, name: str, *, steam: str = "") -> Path:
    """A folder with a program of its name, and an id at Steam if one is given."""
    if steam:
        world.put(f"{name}/1.0/steam_appid.txt", steam.encode())
    return world.put(f"{name}/1.0/{name.lower()}", PROGRAM, mode=0o755)


def planned(world: World, *names: str) -> tuple[Caller, dict[str, Any]]:
    """Put games into a library and compute the plan."""
    for name in names:
        put_game(world, name)
    admin = world.admin()
    world.library(admin)
    return admin, computed(world, admin)


def faults(run: dict[str, Any]) -> dict[str, str | None]:
    return {row["game"]: row["fault"] for row in run["rows"]}


def test_two_folders_with_the_same_game_both_need_review(planning: World) -> None:
    put_game(planning, "Quake", steam="2310")
    put_game(planning, "Quake [GOG]", steam="2310")
    admin, plan = planned(planning)
    assert (plan["certain"], plan["doubtful"]) == (0, 2)
    assert [row["certain"] for row in plan["rows"]] == [False, False]
    assert "Quake [GOG]" in row_of(plan, "Quake")["remark"]
    assert admin.get(PLAN, params={"certain": "true"}).json()["rows"] == []
    assert admin.post(PLAN, {"certain": True}).json()["type"] == "nothing-selected"


def test_an_imported_game_is_not_certain_for_another_folder(planning: World) -> None:
    put_game(planning, "Quake", steam="2310")
    put_game(planning, "Quake copy", steam="2310")
    admin, plan = planned(planning)
    apply(planning, admin, rows=[{"id": row_of(plan, "Quake")["id"]}])
    after = computed(planning, admin)
    row = row_of(after, "Quake copy")
    assert (after["certain"], after["doubtful"]) == (0, 1)
    assert (row["certain"], row["remark"]) == (False, "This game has already been imported from the folder Quake.")


def test_a_row_becomes_certain_when_its_duplicate_is_removed(planning: World) -> None:
    file = put_game(planning, "Hades [GOG]", steam="1145360")
    put_game(planning, "Hades", steam="1145360")
    admin, plan = planned(planning)
    assert plan["certain"] == 0
    (file.parent.parent).rename(planning.folder / "elsewhere")
    assert computed(planning, admin)["certain"] == 1


def test_the_second_folder_imported_as_the_same_game_fails_with_the_reason(planning: World) -> None:
    admin, plan = planned(planning, "Hades", "Quake")
    one = {"id": "70", "sourceId": "Steam", "name": "Half-Life"}
    run = apply(planning, admin, rows=[{"id": row["id"], "metadata": one} for row in plan["rows"]])
    assert (run["imported"], run["failed"]) == (1, 1)
    assert list(faults(run).values()) == [
        None,
        "Another game already uses this metadata. Choose another search result.",
    ]


def test_the_audit_log_names_the_folders_of_a_run(planning: World) -> None:
    admin, _ = planned(planning, "Hades", "Quake")
    apply(planning, admin, certain=True)
    [entry] = admin.get("/api/v1/admin/audit?operation=apply_plan").json()["entries"]
    assert entry["details"] == {"certain": True, "games": "Hades, Quake"}


def test_a_row_selected_twice_is_rejected(planning: World) -> None:
    admin, plan = planned(planning, "Quake")
    refused = admin.post(PLAN, {"rows": [{"id": plan["rows"][0]["id"]}] * 2})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "rows[1].id")


@pytest.mark.both_databases
def test_two_admins_applying_the_same_rows_import_each_once(planning: World) -> None:
    admin, _ = planned(planning, "Hades", "Quake")
    callers = [planning.with_token(admin.token) for _ in range(2)]
    started = at_once([partial(who.post, PLAN, {"certain": True}) for who in callers])
    ids = [each.json()["runId"] for each in started if each.status_code == 202]
    tasks = [each.json()["taskId"] for each in started if each.status_code == 202]
    assert all(planning.finish(admin, task)["success"] for task in tasks)
    runs = [admin.get(f"{RUN}/{run_id}").json() for run_id in ids]
    assert (sum(run["imported"] for run in runs), sorted(imported(admin))) == (2, ["Hades", "Quake"])
    told = {fault for run in runs for fault in faults(run).values() if fault}
    assert told <= {"This folder has already been imported."}


def test_a_folder_deleted_since_the_plan_is_not_imported(planning: World) -> None:
    admin, plan = planned(planning, "Hades", "Quake")
    (planning.games / "Hades").rename(planning.folder / "elsewhere")
    run = apply(planning, admin, rows=[{"id": row["id"]} for row in plan["rows"]])
    assert list(imported(admin)) == ["Quake"]
    assert faults(run)["Hades"] == "The folder is no longer there. Rescan the folders."


def test_an_unavailable_library_does_not_prevent_imports_from_others(planning: World) -> None:
    away = planning.folder / "away"
    (away / "Half-Life/1.0").mkdir(parents=True)
    admin, _ = planned(planning, "Quake")
    planning.library(admin, away)
    plan = computed(planning, admin)
    away.rename(planning.folder / "unmounted")
    run = apply(planning, admin, rows=[{"id": row["id"]} for row in plan["rows"]])
    assert (list(imported(admin)), "currently unavailable" in str(faults(run)["Half-Life"])) == (["Quake"], True)
    assert row_of(admin.get(PLAN).json(), "Half-Life"), "it can be applied again"


def test_rows_of_a_failing_provider_can_be_applied_again(planning: World, shop: FakeProvider) -> None:
    admin, _ = planned(planning, "Hades", "Quake")
    shop.fault = "is closed"
    failed = apply(planning, admin, certain=True)
    shop.fault = ""
    assert (failed["failed"], all("is closed" in str(fault) for fault in faults(failed).values())) == (2, True)
    assert apply(planning, admin, certain=True)["imported"] == 2


class BusyShop(FakeProvider):
    """A shop that may be asked only after so many attempts."""

    refusals = 0

    def fetch(self, ids: Any, *, within: Any) -> Any:
        if self.refusals:
            self.refusals -= 1
            raise RateLimited(self.name)
        return super().fetch(ids, within=within)


class TestBusy:
    """A provider that may not be asked so often."""

    @pytest.fixture
    def shop(self) -> BusyShop:
        return BusyShop("Steam", GAMES)

    def test_plans_and_runs_wait_for_the_providers_rate_limit(self, planning: World, shop: BusyShop) -> None:
        put_game(planning, "Quake", steam="2310")
        shop.refusals = 1
        admin, plan = planned(planning)
        assert row_of(plan, "Quake")["candidates"][0]["reasons"][0] == "Steam id 2310"
        shop.refusals = 1
        assert apply(planning, admin, certain=True)["imported"] == 1

    def test_a_waiting_plan_can_be_cancelled(self, planning: World, shop: BusyShop) -> None:
        put_game(planning, "Quake", steam="2310")
        shop.refusals = 1_000_000
        admin = planning.admin()
        planning.library(admin)
        task = admin.post(f"{PLAN}/task", {}).json()["taskId"]
        assert admin.delete(f"/api/v1/admin/task/{task}").status_code == 204
        assert planning.finish(admin, task)["error"]["title"] == "Cancelled"


class HalfDeafShop(FakeProvider):
    """A shop that finds games and cannot tell what it knows of one."""

    def fetch(self, ids: Any, *, within: Any) -> Any:
        raise StatusRefused(self.name, status=500)


class TestHalfDeaf:
    """A provider that fails for ids and answers searches."""

    @pytest.fixture
    def shop(self) -> HalfDeafShop:
        return HalfDeafShop("Steam", GAMES)

    def test_a_row_whose_id_cannot_be_looked_up_needs_review_and_says_why(self, planning: World) -> None:
        put_game(planning, "Quake", steam="70")
        _, plan = planned(planning)
        row = row_of(plan, "Quake")
        assert (row["certain"], row["remark"]) == (False, "The Steam responded with status 500.")


class HeldShop(FakeProvider):
    """A shop whose pictures come only when they are let go, and that tells when one was asked for."""

    asked: threading.Event
    let_go: threading.Event
    downloads = 0
    unhindered = 0

    def download(self, offer: ImageOffer, *, within: Any) -> bytes:
        self.downloads += 1
        if self.downloads > self.unhindered:
            self.asked.set()
            self.let_go.wait(120)
        return super().download(offer, within=within)


class TestPictures:
    """Runs whose games have pictures."""

    @pytest.fixture
    def shop(self) -> HeldShop:
        offers = tuple(ImageOffer(role, "drawn") for role in (Role.COVER, Role.BANNER, Role.ICON))
        games = {number: replace(facts, pictures=offers) for number, facts in GAMES.items()}
        shop = HeldShop("Steam", games, {"drawn": png(300, 400)})
        shop.asked, shop.let_go = threading.Event(), threading.Event()
        return shop

    @pytest.mark.folder_objects
    def test_a_run_undone_while_running_imports_nothing_more(self, planning: World, shop: HeldShop) -> None:
        admin, _ = planned(planning, "Hades", "Quake")
        started = admin.post(PLAN, {"certain": True}).json()
        assert shop.asked.wait(120)
        assert admin.delete(f"{RUN}/{started['runId']}").status_code == 204
        assert planning.finish(admin, started["taskId"])["error"]["title"] == "Cancelled"
        shop.let_go.set()
        assert (imported(admin), settled(planning)) == ({}, 1), "nothing is left but the admin's portrait"
        assert planning.unimported(admin) == ["Hades", "Quake"]

    def test_a_cancelled_run_continues_when_the_remaining_rows_are_applied(
        self, planning: World, shop: HeldShop
    ) -> None:
        admin, _ = planned(planning, "Hades", "Quake")
        started = admin.post(PLAN, {"certain": True}).json()
        assert shop.asked.wait(120)
        assert admin.delete(f"/api/v1/admin/task/{started['taskId']}").status_code == 204
        planning.finish(admin, started["taskId"])
        shop.let_go.set()
        apply(planning, admin, certain=True)
        assert sorted(imported(admin)) == ["Hades", "Quake"]

    def test_cancelling_a_run_cancels_the_versions_it_has_queued(self, planning: World, shop: HeldShop) -> None:
        shop.unhindered = 3
        put_game(planning, "Hades")
        with (planning.games / "Hades/1.0/large").open("wb") as file:
            file.truncate(6 * 1024**3)
        admin, _ = planned(planning, "Quake")
        started = admin.post(PLAN, {"certain": True}).json()
        assert shop.asked.wait(120)
        [version] = [
            task["id"]
            for task in admin.get("/api/v1/admin/task").json()["runningTasks"]
            if task["taskGroup"] == "import:version"
        ]
        assert admin.delete(f"/api/v1/admin/task/{started['taskId']}").status_code == 204
        assert planning.finish(admin, version)["error"]["code"] == "cancelled"
        shop.let_go.set()
        assert planning.finish(admin, started["taskId"])["cancelled"]
        assert sorted(imported(admin)) == ["Hades"]

    def test_a_row_imported_by_another_run_downloads_no_images(self, planning: World, shop: HeldShop) -> None:
        admin, plan = planned(planning, "Quake")
        rows = [{"id": row_of(plan, "Quake")["id"]}]
        first, second = (admin.post(PLAN, {"rows": rows}).json() for _ in range(2))
        shop.let_go.set()
        assert all(planning.finish(admin, each["taskId"])["success"] for each in (first, second))
        assert (admin.get(f"{RUN}/{second['runId']}").json()["failed"], shop.downloads) == (1, 3)

    @pytest.mark.folder_objects
    def test_a_full_disk_leaves_no_images_and_the_run_continues_once_there_is_space(
        self, planning: World, shop: HeldShop
    ) -> None:
        shop.let_go.set()
        admin, _ = planned(planning, "Quake")
        opened: list[str] = []

        def fill(path: object) -> None:
            if "data/objects/objects" in str(path) and not Path(str(path)).is_dir():
                opened.append(str(path))
                if len(opened) > 3:
                    raise OSError(errno.ENOSPC, "No space left on device")

        with told_of("open", fill):
            started = admin.post(PLAN, {"certain": True}).json()
            while "Trying again" not in str((task := admin.get(f"/api/v1/task/{started['taskId']}").json())["log"]):
                assert not task["ended"], task
            assert (imported(admin), settled(planning)) == ({}, 1)
        planning.clock.advance(seconds=3)
        assert planning.finish(admin, started["taskId"])["success"]
        assert imported(admin)["Quake"]["mCoverObjectId"]


def settled(world: World) -> int:
    """Count the objects' files when what was on its way is through."""
    pools = [thread for thread in threading.enumerate() if thread.name.startswith("pictures")]
    for thread in pools:
        thread.join(120)
    return sum(path.is_file() for path in (world.folder / "data/objects/objects").rglob("*"))


def test_a_run_interrupted_after_creating_a_game_continues_with_its_versions(planning: World) -> None:
    admin, _ = planned(planning, "Quake")
    run = apply(planning, admin, certain=True)
    game = imported(admin)["Quake"]["id"]
    [before] = admin.get(f"/api/v1/games/{game}/versions").json()
    undo_versions(planning, game)

    arguments = ImportRunArguments(run=run["id"])
    resumed = NewTask(
        "import:run",
        Message("import-games", count=2),
        run_subject(run["id"]),
        Queue.NETWORK,
        (Permission.IMPORT_GAME,),
        arguments,
    )
    with planning.services.db.write() as session:
        session.execute(update(RunRow).values(done=None))
        task = enqueue(session, resumed, at=planning.clock() - timedelta(seconds=1))
    assert planning.finish(admin, task)["success"]
    for each in admin.get("/api/v1/admin/task").json()["runningTasks"]:
        planning.finish(admin, each["id"])

    [after] = admin.get(f"/api/v1/games/{game}/versions").json()
    assert (list(imported(admin)), after["name"], after["id"] != before["id"]) == (["Quake"], "1.0", True)


def undo_versions(world: World, game: str) -> None:
    """Let a game have no versions, as if none had been begun."""
    with world.services.db.write() as session:
        for version in session.scalars(select(Version).where(Version.game_id == game)):
            session.delete(version)


def test_undoing_a_run_stops_the_imports_of_its_versions(planning: World) -> None:
    put_game(planning, "Quake")
    with (planning.games / "Quake/1.0/large").open("wb") as file:
        file.truncate(6 * 1024**3)
    admin, _ = planned(planning)
    started = admin.post(PLAN, {"certain": True}).json()
    assert planning.finish(admin, started["taskId"])["success"]
    [version] = admin.get("/api/v1/admin/task").json()["runningTasks"]

    assert admin.delete(f"{RUN}/{started['runId']}").status_code == 204

    assert planning.finish(admin, version["id"])["error"]["title"] == "Cancelled"
    assert (imported(admin), planning.unimported(admin)) == ({}, ["Quake"])


class NosyShop(FakeProvider):
    """A shop that does something while it is asked."""

    during_search: Any = None

    def search(self, query: str, *, within: Any) -> Any:
        if self.during_search:
            self.during_search()
        return super().search(query, within=within)


class TestMeanwhile:
    """What happens while the plan is computed."""

    @pytest.fixture
    def shop(self) -> NosyShop:
        return NosyShop("Steam", GAMES)

    def test_a_library_removed_during_planning_leaves_no_rows(self, planning: World, shop: NosyShop) -> None:
        put_game(planning, "Quake")
        admin = planning.admin()
        library = planning.library(admin)
        remover = planning.with_token(admin.token)
        shop.during_search = lambda: remover.delete("/api/v1/admin/library/sources", {"id": library["id"]})
        assert computed(planning, admin)["rows"] == []


def test_rows_of_a_pending_run_are_not_selected_again(planning: World) -> None:
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    planning.services.runner.stop()
    first = admin.post(PLAN, {"certain": True})
    again = admin.post(PLAN, {"certain": True})
    assert (first.status_code, again.json()["type"]) == (202, "nothing-selected")
