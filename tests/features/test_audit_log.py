"""What administrators change is recorded: who, when, what, from which address, and no secret."""

import json
from datetime import timedelta, timezone
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from playdock.audit import rules
from playdock.audit.rules import WITHHELD, Action
from playdock.cli import people
from playdock.configuration import Configuration
from playdock.features.tasks.maintenance import STATISTICS
from playdock.kit.bodies import RequestBody
from playdock.kit.clock import timestamp
from playdock.metadata.game_metadata import TagKind
from world import Caller, World

AUDIT = "/api/v1/admin/audit"


def entries(admin: Caller, query: str = "") -> list[dict[str, Any]]:
    listed = admin.get(f"{AUDIT}{query}")
    assert listed.status_code == 200, listed.text
    found: list[dict[str, Any]] = listed.json()["entries"]
    return found


class _Body(RequestBody):
    name: str
    password: str
    kind: TagKind
    featured: bool | UnsetType = UNSET
    limit: int | None = None
    rows: tuple[str, ...] = ()


def test_secrets_are_not_recorded() -> None:
    body = _Body(name="A" * 300, password="hunter2", kind=TagKind.GENRE, limit=0, rows=("a", "b"))

    details = rules.details_of(body)

    assert details == {
        "name": f"{'A' * 200}…",
        "password": WITHHELD,
        "kind": TagKind.GENRE.value,
        "limit": 0,
        "rows": 2,
    }
    assert rules.details_of(None) == {}


class _Answer(RequestBody):
    status: Literal["accepted", "declined"] | UnsetType
    comment: str
    nested: _Body


def test_choices_and_the_values_of_objects_are_recorded() -> None:
    body = _Answer("declined", "Too large", _Body(name="Ada", password="hunter2", kind=TagKind.GENRE))

    details = rules.details_of(body)

    assert details == {
        "status": "declined",
        "comment": WITHHELD,
        "nested.name": "Ada",
        "nested.password": WITHHELD,
        "nested.kind": TagKind.GENRE.value,
    }


def test_a_changed_library_is_recorded_with_its_folder_and_rules(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)
    changes = {"id": library["id"], "rules": {"importVersions": True}}

    assert admin.patch("/api/v1/admin/library/sources", changes).status_code == 200

    changed, added = entries(admin)
    assert changed["details"]["rules.importVersions"] is True
    assert added["details"]["options.baseDir"] == str(world.games)


def test_a_change_is_recorded_with_who_what_and_from_where(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    path = f"/api/v1/admin/users/{bob.user['id']}"

    assert admin.patch(path, {"enabled": False, "email": "new@example.org"}).status_code == 200
    assert admin.delete(path).status_code == 204

    deleted, changed = entries(admin)
    assert (deleted["operation"], deleted["subject"], deleted["details"]) == ("delete_user", "bob", {})
    assert (changed["username"], changed["userId"], changed["credential"]) == ("ada", admin.user["id"], "session")
    assert (changed["address"], changed["permissions"]) == ("127.0.0.1", ["system:user:update"])
    assert (changed["subject"], changed["subjectId"]) == ("bob", bob.user["id"])
    assert changed["details"] == {"enabled": False, "email": WITHHELD}


def test_what_fails_or_only_reads_or_is_ones_own_is_not_recorded(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    assert admin.patch(f"/api/v1/admin/users/{admin.user['id']}", {"enabled": False}).status_code == 409
    assert bob.delete(f"/api/v1/admin/users/{admin.user['id']}").status_code == 403
    assert bob.patch("/api/v1/user", {"displayName": "Robert"}).status_code == 200
    assert admin.get("/api/v1/admin/users").status_code == 200

    assert entries(admin) == []
    assert bob.get(AUDIT).status_code == 403


def test_an_invitation_is_recorded_without_its_link(world: World) -> None:
    admin = world.admin()
    wanted = {"expires": timestamp(world.clock() + timedelta(days=1)), "username": "carol"}

    [made] = admin.post("/api/v1/admin/auth/invitation", wanted).json()
    assert admin.delete("/api/v1/admin/auth/invitation", {"id": made["id"]}).status_code == 204

    assert [each["operation"] for each in entries(admin)] == ["delete_invitation", "create_invitation"]
    assert entries(admin)[1]["subject"] == "carol"
    assert made["id"] not in admin.get(AUDIT).text


def test_the_log_is_searched_page_by_page_and_exported(world: World) -> None:
    admin = world.admin()
    for number in range(5):
        assert admin.post("/api/v1/admin/tags", {"kind": "genre", "name": f"Tag {number}"}).status_code == 201
    assert admin.patch("/api/v1/admin/server", {"name": "The arcade"}).status_code == 200

    first = admin.get(AUDIT, params={"q": "ada tag", "limit": 3}).json()
    second = admin.get(AUDIT, params={"q": "ada tag", "limit": 3, "before": first["next"]}).json()
    exported = admin.get(f"{AUDIT}/export", params={"operation": "add_tag"})

    assert (first["total"], first["operations"]) == (5, ["add_tag", "change_server_profile"])
    assert [each["subject"] for each in first["entries"] + second["entries"]] == [f"Tag {n}" for n in (4, 3, 2, 1, 0)]
    assert (second["next"], first["days"]) == (None, 365)
    assert exported.headers["content-type"] == "application/jsonl"
    assert [json.loads(line)["subject"] for line in exported.text.splitlines()] == [f"Tag {n}" for n in (4, 3, 2, 1, 0)]
    assert entries(admin, "?q=%25") == []


def test_details_are_searched_and_days_selected(world: World) -> None:
    admin = world.admin()
    assert admin.post("/api/v1/admin/tags", {"kind": "genre", "name": "Für alle"}).status_code == 201
    before = world.clock()
    world.clock.advance(days=1)
    admin = world.with_token(world.sign_in("ada").json()["accessToken"])
    assert admin.post("/api/v1/admin/tags", {"kind": "theme", "name": "50%"}).status_code == 201

    def found(**query: str) -> list[str]:
        return [each["subject"] for each in admin.get(AUDIT, params=query).json()["entries"]]

    moment = before.replace(microsecond=0) + timedelta(hours=1)
    assert (found(q="theme"), found(q="für GENRE"), found(q="n'une")) == (["50%"], ["Für alle"], [])
    assert found(since=moment.isoformat()) == ["50%"]
    assert found(until=moment.isoformat()) == ["Für alle"]
    assert found(since=moment.astimezone(timezone(timedelta(hours=-3))).isoformat(), q="genre") == []
    assert admin.get(f"{AUDIT}/export", params={"until": moment.isoformat()}).text.count("\n") == 1
    limits = {"since": "0001-01-01T00:00:00+14:00", "until": "9999-12-31T23:59:59-12:00"}
    assert len(found(**limits)) == 2
    for wrong in ("yesterday", "2026-11-20", "2026-11-20T10:00:00", "0.5", "1700000000", ""):
        refused = [admin.get(path, params={"since": wrong}) for path in (AUDIT, f"{AUDIT}/export")]
        assert [(each.status_code, each.json()["errors"][0]["field"]) for each in refused] == [(400, "since")] * 2


def test_a_library_is_recorded_with_the_name_that_it_had(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)

    admin.patch("/api/v1/admin/library/sources", {"id": library["id"], "name": "Old games"})
    admin.delete("/api/v1/admin/library/sources", {"id": library["id"]})

    assert [(each["operation"], each["subject"]) for each in entries(admin)] == [
        ("remove_library", "Old games"),
        ("change_library", "games"),
        ("add_library", "games"),
    ]


def test_rows_that_are_merged_or_given_by_their_ids_are_recorded_by_their_names(world: World) -> None:
    admin = world.admin()
    library = world.library(admin, world.put("Doom/1.0/doom", b"Doom").parents[2])
    shooter, action = (admin.post("/api/v1/admin/tags", {"kind": "genre", "name": name}).json() for name in ("S", "A"))

    merged = admin.post(f"/api/v1/admin/tags/{shooter['id']}/merge", {"into": action["id"]})
    started = admin.post("/api/v1/admin/import/game", {"library": library["id"], "path": "Doom"})
    assert (merged.status_code, started.status_code) == (200, 202)

    imported, into = entries(admin)[:2]
    assert (into["subject"], into["details"]) == ("S", {"into": "A", "intoId": action["id"]})
    assert imported["details"] == {"library": "games", "libraryId": library["id"], "path": "Doom"}


def test_a_command_is_recorded_without_a_user_and_a_call_that_changes_nothing_is_not(world: World) -> None:
    admin = world.admin()

    world.services.audit_log.record(None, Action("create_invitation", ()), lambda: None)
    link = people.invite(
        Configuration(world.services.settings, {}), admin=False, username="dave", email=None, expires=None
    )

    [by_command] = entries(admin)
    assert (by_command["username"], by_command["credential"], by_command["subject"]) == ("", "command", "dave")
    assert link.rpartition("=")[2] not in admin.get(AUDIT).text


def test_entries_are_deleted_after_the_time_of_the_setting(world: World) -> None:
    admin = world.admin()
    admin.post("/api/v1/admin/tags", {"kind": "genre", "name": "Old"})
    with world.services.db.write() as session:
        session.connection().exec_driver_sql("UPDATE audit_entries SET at = '2020-01-01 00:00:00'")

    started = admin.post("/api/v1/admin/task", {"taskGroup": STATISTICS})
    world.finish(admin, started.json()["id"])

    assert [each["operation"] for each in entries(admin)] == ["start_task"]


def test_articles_and_requests_are_recorded_with_their_names(world: World) -> None:
    admin = world.admin()
    article = admin.post("/api/v1/admin/news", {"title": "Game night", "content": "On Friday."}).json()["id"]
    request = admin.post("/api/v1/requests", {"name": "Doom"}).json()["id"]

    assert admin.delete(f"/api/v1/admin/news/{article}").status_code == 204
    assert admin.post(f"/api/v1/admin/requests/{request}/answer", {"status": "declined"}).is_success

    answered, deleted, added = entries(admin)
    assert (answered["subject"], deleted["subject"]) == ("Doom", "Game night")
    assert added["details"]["title"] == "Game night"


def test_what_pages_compute_by_themselves_is_no_change(world: World) -> None:
    admin = world.admin()
    world.put("Hades/1.0/hades")
    world.library(admin)
    before = len(entries(admin))
    started = admin.post("/api/v1/admin/import/plan/task", {})
    assert started.json()["taskId"]
    assert world.finish(admin, started.json()["taskId"])["success"]
    assert len(entries(admin)) == before

    assert admin.post("/api/v1/admin/import/plan/task", {"fresh": True}).json()["taskId"]
    assert [entry["operation"] for entry in entries(admin)][: len(entries(admin)) - before] == ["compute_plan"]
