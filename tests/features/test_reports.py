"""The numbers of the dashboard: what is stored, what was sent, and whether all is well."""

import shutil
import socket
import threading
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from audit import told_of
from databases import Databases
from patching import NEW, OLD
from patching import Doom as Patched
from playdock import __version__
from playdock.auth.permissions import Permission
from playdock.content.damage import FileProblem
from playdock.db.database import Database
from playdock.db.migrate import migrate
from playdock.domain.transfers import queries
from playdock.domain.transfers.rules import Day
from playdock.domain.transfers.service import TransferRecorder
from playdock.features.damage.queries import add as add_damage
from playdock.features.game_import.service import TASK_TYPE
from playdock.features.reports import queries as report_queries
from playdock.kit.clock import utc_now
from playdock.kit.messages import Message
from playdock.stored import ImportGameArguments, TaskArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from waiting import MAX_WAIT_SECONDS, wait_until
from world import Caller, World, at_once, running_world

pytestmark = pytest.mark.both_databases

MIB = 1024 * 1024
STATISTICS = "/api/v1/admin/statistics"
_IMPORT = Message("import-game", game="Quake")
_FROM_NOWHERE = ImportGameArguments(game="quake", library="none", path="Quake")


@dataclass
class ProviderClient:
    """A game with a version of a known size, an admin who looks at the numbers, and a player."""

    world: World
    admin: Caller
    bob: Caller
    game: str
    version: str

    @property
    def content(self) -> str:
        return f"/api/v1/versions/{self.version}/content"

    def part(self, asked: str, caller: Caller | None = None) -> int:
        return (caller or self.bob).get(self.content, headers={"Range": f"bytes={asked}"}).status_code

    def today(self) -> tuple[int, int]:
        """Bytes and downloads of today."""
        return today(self.world, self.admin)


def shown(admin: Caller) -> dict[str, Any]:
    answer = admin.get(STATISTICS)
    assert answer.status_code == 200, answer.text
    numbers: dict[str, Any] = answer.json()
    return numbers


def today(world: World, admin: Caller) -> tuple[int, int]:
    world.services.transfer_recorder.write()
    day = shown(admin)["days"][-1]
    return day["bytes"], day["downloads"]


def again(world: World, username: str) -> Caller:
    """Somebody who signs in again, as one has to who comes back after days."""
    return world.with_token(world.sign_in(username).json()["accessToken"])


def fail_a_task(provider_client: ProviderClient) -> None:
    """Let an import fail, from a library that there is not."""
    draft = NewTask(TASK_TYPE, _IMPORT, "game:Quake", Queue.DEFAULT, (Permission.IMPORT_GAME,), _FROM_NOWHERE)
    with provider_client.world.services.db.write() as session:
        task = enqueue(session, draft, at=provider_client.world.clock())
    assert not provider_client.world.finish(provider_client.admin, task)["success"]


def cancel_a_task(provider_client: ProviderClient) -> None:
    acls, delay = (Permission.TASK_READ,), timedelta(minutes=9)
    draft = NewTask("no:group", _IMPORT, "nothing", Queue.DEFAULT, acls, TaskArguments(), delay)
    with provider_client.world.services.db.write() as session:
        task = enqueue(session, draft, at=provider_client.world.clock())
    assert provider_client.admin.delete(f"/api/v1/admin/task/{task}").status_code == 204


def check(admin: Caller, name: str) -> dict[str, str]:
    checks: list[dict[str, str]] = shown(admin)["health"]["checks"]
    return next(each for each in checks if each["name"] == name)


def lay(world: World, *, size: int = 2 * MIB) -> ProviderClient:
    world.put("Doom/1.0/doom", bytes(size))
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return ProviderClient(world, admin, world.person("bob"), game, version)


@pytest.fixture
def provider_client(world: World) -> ProviderClient:
    return lay(world)


# --- What was sent ---


def test_the_bytes_of_a_download_are_counted(provider_client: ProviderClient) -> None:
    assert len(provider_client.bob.get(provider_client.content).content) == 2 * MIB
    wait_until(lambda: provider_client.today() == (2 * MIB, 1))


def test_ranges_of_one_version_count_as_one_download(provider_client: ProviderClient) -> None:
    assert provider_client.part("0-99") == 206
    wait_until(lambda: provider_client.today() == (100, 1))
    assert provider_client.part("100-199") == 206
    wait_until(lambda: provider_client.today() == (200, 1))


def test_each_user_and_day_counts_as_a_separate_download(provider_client: ProviderClient) -> None:
    at_once([partial(provider_client.part, "0-9", caller) for caller in (provider_client.admin, provider_client.bob)])
    wait_until(lambda: provider_client.today() == (20, 2))
    provider_client.world.clock.advance(days=1)
    provider_client.bob, provider_client.admin = (
        again(provider_client.world, "bob"),
        again(provider_client.world, "ada"),
    )
    assert provider_client.part("0-9") == 206
    wait_until(lambda: provider_client.today() == (10, 1))
    assert shown(provider_client.admin)["days"][-2]["downloads"] == 2


def test_responses_without_a_body_are_not_counted(provider_client: ProviderClient) -> None:
    assert provider_client.bob.request("HEAD", provider_client.content).status_code == 200
    assert provider_client.part(f"{2 * MIB}-") == 416
    assert provider_client.today() == (0, 0)


def test_an_aborted_download_counts_only_the_bytes_sent(world: World) -> None:
    provider_client = lay(world, size=64 * MIB)
    host, port = world.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as reader:
        lines = [
            f"GET {provider_client.content} HTTP/1.1",
            f"Host: {host}",
            f"Authorization: Bearer {provider_client.bob.token}",
            "",
            "",
        ]
        reader.sendall("\r\n".join(lines).encode())
        assert len(reader.makefile("rb").read(MIB)) == MIB
    wait_until(lambda: provider_client.today()[1])
    assert MIB // 2 < provider_client.today()[0] < 64 * MIB


def test_compressed_bytes_are_counted_as_the_content(provider_client: ProviderClient) -> None:
    answer = provider_client.bob.get(provider_client.content, params={"frames": "zstd"})
    assert len(answer.content) < MIB
    wait_until(lambda: provider_client.today() == (2 * MIB, 1))


def test_an_update_by_patches_counts_as_a_download_of_the_newer_version(world: World) -> None:
    doom = Patched.at(world)
    old, new = doom.add("1.0", OLD), doom.add("1.1", NEW)
    listed = doom.patches(old, new)
    assert doom.fetch(listed["id"], Range="bytes=0-99").status_code == 206
    address = f"/api/v1/versions/{new}/content"
    assert doom.admin.get(address, headers={"Range": "bytes=0-9"}).status_code == 206
    wait_until(lambda: today(world, doom.admin) == (110, 1))


def test_downloads_by_link_count_for_the_creator_of_the_link(provider_client: ProviderClient) -> None:
    url = provider_client.bob.post(f"/api/v1/versions/{provider_client.version}/links", {"kind": "content"}).json()[
        "url"
    ]
    assert provider_client.part("0-9") == 206
    assert provider_client.world.any_user().get(url, headers={"Range": "bytes=0-9"}).status_code == 206
    wait_until(lambda: provider_client.today() == (20, 1))


def test_downloads_sent_by_the_reverse_proxy_count_by_their_announced_size(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, x_accel_prefix="/files") as world:
        provider_client = lay(world)
        headers = {"X-Sendfile-Type": "X-Accel-Redirect", "Range": "bytes=0-99"}
        answer = provider_client.bob.get(f"/api/v1/versions/{provider_client.version}/files/doom", headers=headers)
        assert "x-accel-redirect" in answer.headers
        assert provider_client.today() == (100, 1)


def test_downloads_of_a_deleted_user_are_kept_without_the_user(provider_client: ProviderClient) -> None:
    assert provider_client.part("0-9") == 206
    wait_until(lambda: provider_client.today() == (10, 1))
    assert provider_client.admin.delete(f"/api/v1/admin/users/{provider_client.bob.user['id']}").status_code == 204
    assert provider_client.today() == (10, 1)


def test_downloads_of_a_user_deleted_before_recording_are_still_counted(provider_client: ProviderClient) -> None:
    books = provider_client.world.services.transfer_recorder
    books.add(provider_client.bob.user["id"], provider_client.version, 10)
    books.add(provider_client.admin.user["id"], provider_client.version, 5)
    assert provider_client.admin.delete(f"/api/v1/admin/users/{provider_client.bob.user['id']}").status_code == 204
    assert provider_client.today() == (15, 2)


def test_downloads_of_a_deleted_game_are_kept(provider_client: ProviderClient) -> None:
    assert provider_client.part("0-9") == 206
    wait_until(lambda: provider_client.today() == (10, 1))
    assert provider_client.admin.delete(f"/api/v1/admin/game/{provider_client.game}").status_code == 204
    assert provider_client.today() == (10, 1)


def test_thirty_days_are_listed_including_those_without_downloads(world: World) -> None:
    admin = world.admin()
    world.services.transfer_recorder.add(admin.user["id"], "gone", 10)
    world.services.transfer_recorder.write()
    for passed, place in ((29, 0), (1, None)):
        world.clock.advance(days=passed)
        days = shown(again(world, "ada"))["days"]
        expected = [world.clock().date() - timedelta(days=29 - number) for number in range(30)]
        assert [each["day"] for each in days] == [day.isoformat() for day in expected]
        assert [n for n, each in enumerate(days) if each["bytes"]] == ([] if place is None else [place])


def test_downloads_are_deleted_after_three_months(world: World) -> None:
    admin, books = world.admin(), world.services.transfer_recorder
    first = world.clock().date()
    for days in (0, 1):
        world.clock.advance(days=days)
        books.add(admin.user["id"], "doom", 10)
        books.write()
    for days, left in ((89, 20), (1, 10)):
        world.clock.advance(days=days)
        admin = again(world, "ada")
        task = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:statistics"}).json()["id"]
        assert world.finish(admin, task)["success"]
        with world.services.db.read() as session:
            assert sum(day.bytes for day in queries.days(session, since=first)) == left


def test_concurrent_processes_add_up_their_counts(world: World) -> None:
    ada = world.admin()
    books = [TransferRecorder(world.services.db, world.clock) for _ in range(4)]
    for each in books:
        for version in ("a", "b", "c"):
            each.add(ada.user["id"], version, 10)
    at_once([each.close for each in books])
    assert today(world, ada) == (120, 3)


def test_pending_downloads_are_recorded_at_shutdown(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url) as world:
        world.clock.advance_to_noon()
        provider_client = lay(world)
        assert provider_client.part("0-9") == 206
    today = world.clock().date()
    with closing(Database(world.services.settings.database)) as database, database.read() as session:
        assert queries.days(session, since=today) == [Day(today, 10, 1)]


@pytest.mark.parametrize("more", [0, 5])
def test_failed_writes_are_retried(databases: Databases, tmp_path: Path, more: int) -> None:
    (tmp_path / "data").mkdir()
    address = databases.blank(tmp_path / "data").replace("postgresql://", "postgresql+psycopg://")
    with closing(Database(address)) as database:
        today, books = utc_now().date(), TransferRecorder(database, utc_now, delay=0)
        books.add("ada", "doom", 10)
        # The books have one thread: when it comes to this, it has tried and failed.
        books._thread.submit(int).result()
        migrate(database)
        books.add("ada", "doom", more)
        books.close()
        with database.read() as session:
            assert sum(day.bytes for day in queries.days(session, since=today)) == 10 + more


# --- Whether all is well ---


def test_a_missing_library_folder_is_reported_with_instructions(provider_client: ProviderClient) -> None:
    assert check(provider_client.admin, "Library games")["state"] == "good"
    shutil.rmtree(provider_client.world.games)

    found, [stored] = check(provider_client.admin, "Library games"), shown(provider_client.admin)["storage"]

    assert found["state"] == "bad"
    assert "There is no such folder." in found["detail"]
    assert str(provider_client.world.games) not in found["detail"]
    assert (stored["library"]["working"], stored["free"], stored["size"]) == (False, None, 2 * MIB)


def test_an_unresponsive_library_is_reported_without_waiting_for_it(provider_client: ProviderClient) -> None:
    back = threading.Event()

    def hang(place: object) -> None:
        if str(place) == str(provider_client.world.games):
            back.wait(600)  # longer than any call is waited for

    with told_of("open", hang):
        try:
            found, [stored] = check(provider_client.admin, "Library games"), shown(provider_client.admin)["storage"]
        finally:
            back.set()

    assert (found["state"], stored["library"]["working"]) == ("bad", False)
    assert "Not responding" in found["detail"]


def test_damaged_versions_are_counted(provider_client: ProviderClient) -> None:
    assert check(provider_client.admin, "Versions")["state"] == "good"
    with provider_client.world.services.db.write() as session:
        add_damage(
            session, provider_client.version, "doom", FileProblem.MISSING, seen=None, at=provider_client.world.clock()
        )
    found = check(provider_client.admin, "Versions")
    assert (found["state"], found["detail"].startswith("Files of 1 version no longer")) == ("bad", True)


def test_failed_tasks_are_reported_for_a_day(provider_client: ProviderClient) -> None:
    cancel_a_task(provider_client)
    assert check(provider_client.admin, "Tasks")["state"] == "good"
    fail_a_task(provider_client)
    assert check(provider_client.admin, "Tasks")["detail"].startswith("1 task failed")
    provider_client.world.clock.advance(days=1, minutes=1)
    assert check(again(provider_client.world, "ada"), "Tasks")["state"] == "good"


def test_a_server_without_libraries_reports_a_warning(world: World) -> None:
    assert check(world.admin(), "Libraries")["state"] == "warning"


def test_the_health_check_covers_the_configuration(database_url: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"external_url": "http://games.example.org", "metadata_providers": "Steam,IGDB"}
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        checks = {each["name"]: each for each in shown(world.admin())["health"]["checks"]}
    assert checks["Address"]["state"] == "warning"
    assert checks["Metadata providers"]["detail"] == "Steam."
    assert checks["Metadata provider igdb"]["state"] == "bad"
    assert ("SQLite" if "sqlite" in database_url else "PostgreSQL") in checks["Database"]["detail"]
    assert "Data folder" in checks


def test_a_missing_data_folder_is_reported(database_url: str, tmp_path: Path) -> None:
    moved: dict[str, Any] = {"data_dir": tmp_path / "own", "objects_url": str(tmp_path / "objects")}
    with running_world(tmp_path, database_url=database_url, **moved) as world:
        admin = world.admin()
        assert world.services.security_log.flush(seconds=MAX_WAIT_SECONDS)
        shutil.rmtree(tmp_path / "own")
        found = check(admin, "Data folder")
    assert (found["state"], "Set DATA_DIR" in found["detail"]) == ("bad", True)
    assert str(tmp_path) not in found["detail"]


# --- Who may ---


def test_statistics_require_the_maintenance_permission(world: World) -> None:
    admin = world.admin()
    callers = [
        world.any_user(),
        world.person("bob"),
        world.token_of(admin, "system:task:read"),
        world.token_of(admin, "system:maintenance:read"),
    ]
    assert [caller.get(STATISTICS).status_code for caller in callers] == [401, 403, 403, 200]


def test_a_disk_that_fills_is_forecast_from_its_daily_records(world: World) -> None:
    admin, today = world.admin(), world.clock().date()
    task = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:statistics"}).json()["id"]
    assert world.finish(admin, task)["success"]
    with world.services.db.write() as session:
        [now] = report_queries.disk_days(session, since=today)["data"]
        for days in range(1, 8):
            free = {"data": now.free * (1 + days)}
            report_queries.add_disk_days(session, free, day=today - timedelta(days=days))

    checks = {each["nameCode"]: each for each in shown(admin)["health"]["checks"]}

    assert now.free > 0
    assert (checks["check-data-folder"]["state"], checks["check-data-folder"]["detailCode"]) == (
        "warning",
        "space-forecast",
    )
    assert checks["check-software"]["detail"].startswith(f"Playdock {__version__}, Python 3.")
