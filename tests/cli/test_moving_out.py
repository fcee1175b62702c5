"""``playdock export`` and ``playdock import-export``: everything moves to a server with the other kind of database."""

import hashlib
import io
import re
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select

from devices import device
from drawing import png
from games import add_game
from mailing import CHOICE, DELIVERY
from playdock.domain.game_requests.rules import RequestStatus
from playdock.features.accounts.queries import link_identity
from playdock.metadata.game_metadata import GameMetadata, TagFact, TagKind
from playdock.models import Base, DeliveryPreferences, PushSubscription, SignInMethod
from playdock.other_servers.export_format import (
    RECORDS,
    Exported,
    ExportedPreferences,
    ExportedRequest,
    ExportedUser,
    ExportInfo,
    Scope,
)
from saving import content_of, upload, uploaded
from waiting import wait_until
from world import PASSWORD, Caller, World

from .conftest import Outcome, Prompt, add_ada, is_sentence

ROOT = Path(__file__).parents[2]
_COVER = png(600, 900, color=(20, 90, 200))
_REQUESTS = "/api/v1/requests"
_CHAT = "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js"
# The keys of RFC 8291, section 5.
_BROWSER = {
    "endpoint": "https://push.example/4f1c",
    "publicKey": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "authSecret": "BTBZMqHH6r4Tts7J_aSIgg",
}
# What differs between servers: ids, and times of what happened there.
_OWN = {
    "id",
    "objectId",
    "profilePictureObjectId",
    "libraryId",
    "gameId",
    "userId",
    "collectionId",
    "created",
    "updated",
    "baseId",
}


def _prompt(world: World) -> Prompt:
    settings = world.services.settings
    data = {"DATA_DIR": str(settings.data_dir), "DATABASE_URL": settings.database_url}
    return Prompt(world.folder, {**data, "EXTERNAL_URL": world.address})


def _populate(world: World) -> None:
    """Add people, games with metadata, images and versions, and collections."""
    ada, bob = world.admin("ada"), world.person("bob")
    world.put("Doom/1.0/doom", b"one", mode=0o755)
    world.put("Doom/1.1/doom", b"two", mode=0o755)
    world.put("Quake/1.0/quake.exe", b"MZ")
    world.put("Quake 1.1/quake.exe", b"MZ new")
    world.put("Setup/1.0/setup.exe", b"MZ")
    rules = {"importGames": False, "importVersions": True, "ignore": ["*.part"]}
    options = {"baseDir": str(world.games)}
    draft = {"name": "Games", "backend": "MixedFilesystem", "options": options, "rules": rules}
    library = ada.post("/api/v1/admin/library/sources", draft).json()
    doom, quake, setup = (world.import_game(ada, library, name) for name in ("Doom", "Quake", "Setup"))
    started = [
        world.import_version(ada, doom, "1.0", launch="doom", launchArgs="-w 'a b'", setup="doom", setupArgs="--once"),
        world.import_version(ada, doom, "1.1", launch="doom", delta=True),
        world.import_version(ada, quake, "1.0", launch="quake.exe", platform="Windows", compatId="umu-1"),
        world.import_version(ada, quake, "Quake 1.1", launch="quake.exe", platform="Windows", beside=True),
        world.import_version(ada, setup, "1.0", onlySetup=True, setup="setup.exe", platform="Windows"),
    ]
    assert all(task["success"] for task in started), started
    facts = {
        "name": "DOOM",
        "shortDescription": "Rip and tear.",
        "description": "**Hell** on _Mars_.\n\nSchön.",
        "released": {"date": "1993-12-10", "precision": "day"},
        "developers": ["id Software"],
        "publishers": ["id Software", "GT Interactive"],
        "tags": [{"kind": "genre", "name": "Shooter"}, {"kind": "theme", "name": "Horror"}],
        "ageRatings": [{"board": "PEGI", "value": "16", "descriptors": ["Violence"]}],
        "websites": [{"kind": "official", "url": "https://doom.example"}],
        "featured": True,
    }
    assert ada.patch(f"/api/v1/admin/game/{doom}", facts).status_code == 200
    for role in ("cover", "carousel"):
        files = [("a.png", ("a.png", _COVER, "image/png"))]
        sent = ada.request("POST", "/api/v1/admin/game/image", data={"id": doom, "use": role}, files=files)
        assert sent.status_code == 201, sent.text
    limits = {"downloadRate": 2_000_000, "downloadsAtOnce": 3}
    assert ada.patch(f"/api/v1/admin/users/{bob.user['id']}", {**limits, "displayName": "Bób"}).status_code == 200
    assert bob.post("/api/v1/collection/default/entry", {"id": quake}).status_code < 300
    mine = bob.post("/api/v1/collection", {"name": "Evening"}).json()["id"]
    for game in (setup, doom):
        assert bob.post(f"/api/v1/collection/{mine}/entry", {"id": game}).status_code < 300
    with world.services.db.write() as session:
        assert link_identity(session, bob.user["id"], "https://id.example bob")
    run = {"id": "a", "game": doom, "started": "2026-01-02T03:04:05Z", "seconds": 5400}
    assert bob.post("/api/v1/user/play-sessions", {"sessions": [run, {**run, "id": "b", "game": quake}]}).is_success
    noted = {"status": "paused", "note": "0451"}
    assert bob.request("PATCH", f"/api/v1/user/play-records/{doom}", json=noted).is_success
    first = uploaded(bob, doom, b"level 1")
    uploaded(bob, doom, b"level 2", first)
    assert upload(bob, doom, b"level 1b", first).status_code == 409
    uploaded(bob, doom, b"another slot", slot=3)
    uploaded(ada, quake, bytes(300_000))
    carl = world.person("carl")
    assert ada.patch(f"/api/v1/admin/users/{carl.user['id']}", {"enabled": False}).status_code == 200


def _export(world: World, *options: str) -> Outcome:
    return _prompt(world).run("export", str(world.folder / "export"), *options)


def _import(world: World, source: World, *options: str) -> Outcome:
    return _prompt(world).run("import-export", str(source.folder / "export"), *options)


def _rows(world: World) -> dict[str, int]:
    names = ["users", "libraries", "games", "collections", "collection_entries", "pictures", "objects"]
    names += ["play_sessions", "play_records", "save_slots", "saved_games"]
    with world.services.db.read() as session:
        tables = Base.metadata.tables
        return {name: session.scalar(select(func.count()).select_from(tables[name])) or 0 for name in names}


def _comparable(value: Any) -> Any:
    """Return a response without what belongs to a server, and images by their size and color."""
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items() if key not in _OWN}
    return [_comparable(each) for each in value] if isinstance(value, list) else value


def _seen_by(caller: Caller) -> dict[str, Any]:
    """Return all that a person can see through the API, by names."""
    names = {each["name"]: each["id"] for each in caller.get("/api/v1/store?sort=name").json()["games"]}
    others = caller.get("/api/v1/collection").json()
    seen = {f"game {name}": caller.get(f"/api/v1/games/{game}").json() for name, game in names.items()}
    seen |= {f"collection {each['name']}": each for each in others}
    seen["user"] = caller.get("/api/v1/user").json()
    seen["library"] = caller.get("/api/v1/collection/default").json()
    seen["played"] = sorted(caller.get("/api/v1/user/play-records").json(), key=lambda each: each["gameName"])
    seen["saves"] = caller.get("/api/v1/user/saves").json()
    seen["contents"] = [content_of(caller, each["id"]) for each in seen["saves"]["saves"]]
    seen["newest"] = [each["name"] for each in caller.get("/api/v1/store?sort=newest").json()["games"]]
    if seen["user"]["admin"]:
        seen["users"] = caller.get("/api/v1/admin/users").json()
        seen["sources"] = caller.get("/api/v1/admin/library/sources").json()
    found: dict[str, Any] = _comparable(seen)
    return found


def _all_seen(world: World) -> list[dict[str, Any]]:
    return [_seen_by(world.with_token(world.sign_in(name).json()["accessToken"])) for name in ("ada", "bob")]


def _versions(world: World) -> int:
    with world.services.db.read() as session:
        return session.scalar(select(func.count()).select_from(Base.metadata.tables["versions"])) or 0


def test_everything_moves_to_an_empty_server_with_the_other_database(embedded_world: World, empty_world: World) -> None:
    _populate(embedded_world)
    before = _all_seen(embedded_world)

    exported = _export(embedded_world)
    assert exported.status == 0, exported.err
    folder = embedded_world.folder / "export"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert PASSWORD.encode() not in b"".join(path.read_bytes() for path in files)
    assert is_sentence(_export(embedded_world).err)

    planned = _import(empty_world, embedded_world, "--plan")
    assert planned.status == 0, planned.err
    assert "Sessions, devices, API tokens" in planned.out
    assert set(_rows(empty_world).values()) == {0}

    moved = _import(empty_world, embedded_world)
    assert moved.status == 0, moved.err
    empty_world.services.version_imports.notify_runner()
    # The delta waits for its base.
    wait_until(lambda: _versions(empty_world) == 5)

    for person, at_first in zip(_all_seen(empty_world), before, strict=True):
        assert person.keys() == at_first.keys()
        for name, value in person.items():
            assert value == at_first[name], name
    assert empty_world.sign_in("carl").json()["type"] == "account-disabled"
    with empty_world.services.db.read() as session:
        assert "https://id.example bob" in session.scalars(select(SignInMethod.subject)).all()
    kept = _rows(empty_world)
    assert "Nothing was added" in _import(empty_world, embedded_world).out
    assert _rows(empty_world) == kept

    shown = _prompt(empty_world).run("import-export", "--undo", "--plan")
    assert shown.out.startswith("This was moved, and would be deleted:\n* "), shown.err
    refused = _prompt(empty_world).run("import-export", str(empty_world.folder), "--undo")
    assert "--undo only takes --plan" in refused.err
    undone = _prompt(empty_world).run("import-export", "--undo")
    assert undone.status == 0, undone.err
    assert set(_rows(empty_world).values()) == {0}


def _downloaded(caller: Caller) -> dict[str, bytes]:
    sent = caller.get("/api/v1/user/export")
    assert (sent.status_code, sent.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(sent.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_person_downloads_what_belongs_to_that_person(embedded_world: World) -> None:
    world = embedded_world
    ada, bob = world.admin("ada"), world.person("bob")
    game = add_game(world, GameMetadata("Doom"))
    assert ada.post("/api/v1/collection/default/entry", {"id": game}).status_code < 300
    assert ada.request("PATCH", f"/api/v1/user/play-records/{game}", json={"note": "My note"}).is_success
    kept = uploaded(ada, game, b"my save")
    device(world, ada, device_name="Ada's laptop")
    device(world, bob, device_name="Bob's laptop")

    found = _downloaded(ada)
    info = msgspec.json.decode(found["export.json"], type=ExportInfo)
    user = msgspec.json.decode(found["users.jsonl"], type=ExportedUser)
    assert (info.scope, user.username, user.password) == (Scope.PERSON, "ada", None)
    assert found[user.picture].startswith(b"RIFF")
    assert b"Doom" in found["collections.jsonl"]
    assert b"My note" in found["play_records.jsonl"]
    assert found[f"saves/{kept}.save"] == b"my save"
    assert (b"Ada's" in found["devices.jsonl"], b"Bob's" in found["devices.jsonl"]) == (True, False)
    assert not any(b"bob" in content for content in found.values())
    assert world.token_of(ada, "user:read").get("/api/v1/user/export").status_code == 403

    prompt = _prompt(world)
    assert prompt.run("export", "mine", "--user", "ADA").status == 0
    assert {path.name for path in (world.folder / "mine").glob("*.json*")} == {
        "export.json",
        "users.jsonl",
        "collections.jsonl",
        "play_records.jsonl",
        "saves.jsonl",
        "devices.jsonl",
        "game_requests.jsonl",
        "notification_preferences.jsonl",
    }
    assert is_sentence(prompt.run("export", "nobody", "--user", "carl").err)
    assert "one person" in prompt.run("import-export", "mine").err


def test_a_person_downloads_requests_and_preferences_without_secrets(embedded_world: World) -> None:
    ada, bob = embedded_world.admin("ada"), embedded_world.person("bob")
    add_game(embedded_world, GameMetadata("Doom", tags=(TagFact(TagKind.GENRE, "Shooter"),)))
    [tag] = ada.get("/api/v1/store/tags").json()
    for caller, name in ((ada, "Quake"), (bob, "Hexen")):
        assert caller.post(_REQUESTS, {"name": name}).status_code == 201
    voted = bob.post(_REQUESTS, {"name": "Portal"}).json()
    assert ada.request("PUT", f"{_REQUESTS}/{voted['id']}/vote").is_success
    declined = {"status": "declined", "comment": "Too large."}
    assert ada.post(f"/api/v1/admin/requests/{voted['id']}/answer", declined).is_success
    wanted = {"platforms": ["Linux"], "tags": [tag["id"]], "muted": ["version.added"]}
    assert ada.request("PUT", "/api/v1/notifications/preferences", json=wanted).is_success
    delivery = {**CHOICE, "push": ["disk.low"], "quietFrom": "22:00", "quietUntil": "07:00", "chatUrl": _CHAT}
    assert ada.request("PUT", DELIVERY, json=delivery).is_success
    assert ada.request("PUT", f"{DELIVERY}/browser", json=_BROWSER).is_success

    found = _downloaded(ada)

    requests = [msgspec.json.decode(line, type=ExportedRequest) for line in found["game_requests.jsonl"].splitlines()]
    assert [(each.name, each.own, each.status, each.comment) for each in requests] == [
        ("Quake", True, RequestStatus.OPEN, ""),
        ("Portal", False, RequestStatus.DECLINED, "Too large."),
    ]
    preferences = msgspec.json.decode(found["notification_preferences.jsonl"], type=ExportedPreferences)
    assert (preferences.platforms, preferences.muted) == (("Linux",), ("version.added",))
    assert [each.name for each in preferences.tags] == ["Shooter"]
    assert preferences.channels == {"email": ("disk.low", "folders.found"), "chat": (), "push": ("disk.low",)}
    assert (preferences.quiet_from, preferences.digest_at, preferences.verified_email) == ("22:00", None, None)
    with embedded_world.services.db.read() as session:
        stored = session.query(DeliveryPreferences).one().preferences
        push = session.query(PushSubscription).one()
    hidden = (stored["chatUrl"], _CHAT, push.endpoint, push.auth_secret, *_BROWSER.values())
    assert "" not in hidden
    assert not [each for each in hidden for content in found.values() if each.encode() in content]
    assert not any(bob.user["id"].encode() in content or b"Hexen" in content for content in found.values())
    # Without a choice, the defaults are written.
    assert b'"timeZone":"UTC"' in _downloaded(bob)["notification_preferences.jsonl"]


def _replaced(name: str, old: bytes, new: bytes) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        content = (folder / name).read_bytes()
        assert old in content
        (folder / name).write_bytes(content.replace(old, new))

    return change


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda folder: (folder / "export.json").unlink(), "is not an export, or an incomplete one"),
        (_replaced("export.json", b'"version": 4', b'"version": 5'), "version 5 of the format"),
        (_replaced("export.json", b"playdock-export", b"another"), "does not belong to an export"),
        (_replaced("export.json", b"playdock-export", b'",'), "does not belong to an export"),
        (_replaced("export.json", b'"users.jsonl"', b'"people.jsonl"'), "people.jsonl, which this release"),
        (_replaced("export.json", b'"release"', b'"built"'), "export is damaged: export.json"),
        (lambda folder: (folder / "games.jsonl").unlink(), "games.jsonl: no such file"),
        (_replaced("users.jsonl", b"ada", b"eve"), "users.jsonl: its content has changed"),
    ],
)
def test_what_is_not_understood_is_refused(settled: Prompt, damage: Callable[[Path], object], named: str) -> None:
    add_ada(settled, admin=True)
    assert settled.run("export", "export").status == 0
    folder = settled.folder / "export"
    damage(folder)

    refused = settled.run("import-export", str(folder), "--plan")

    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert named.lower() in refused.err.lower()


def test_exports_of_version_1_have_no_play_records_and_saves(settled: Prompt) -> None:
    add_ada(settled, admin=True)
    assert settled.run("export", "export").status == 0
    info = settled.folder / "export/export.json"
    described = msgspec.json.decode(info.read_bytes())
    described["version"] = 1
    for name in ("play_records.jsonl", "saves.jsonl"):
        del described["files"][name]
        (settled.folder / "export" / name).unlink()
    info.write_bytes(msgspec.json.encode(described))
    assert settled.run("import-export", "export", "--plan").status == 0


def test_unknown_fields_are_refused(settled: Prompt) -> None:
    add_ada(settled, admin=True)
    assert settled.run("export", "export").status == 0
    users, info = settled.folder / "export/users.jsonl", settled.folder / "export/export.json"
    before = users.read_bytes()
    users.write_bytes(before.replace(b'"username"', b'"mood":"fine","username"'))
    old, new = (hashlib.sha256(content).hexdigest() for content in (before, users.read_bytes()))
    info.write_text(info.read_text().replace(old, new))
    refused = settled.run("import-export", "export")
    assert is_sentence(refused.err)
    assert "users.jsonl: line 1" in refused.err


def test_the_documented_records_are_those_of_the_format() -> None:
    document = (ROOT / "docs/export-format.md").read_text()
    shown = re.findall(r"### `(\w+\.jsonl?)`.*?```json\n(.*?)```", document, re.DOTALL)
    kinds: dict[str, type[Exported]] = {"export.json": ExportInfo, **RECORDS}
    assert [name for name, _ in shown] == list(kinds)
    for name, example in shown:
        record = msgspec.json.decode(example, type=kinds[name])
        fields = {field.encode_name for field in msgspec.structs.fields(kinds[name])}
        assert set(msgspec.json.decode(example)) == fields, name
        assert record
        if name == "games.jsonl":
            # Version 1 did not have it.
            first = {field: value for field, value in msgspec.json.decode(example).items() if field != "layout"}
            assert msgspec.convert(first, kinds[name])
