"""Saved games: uploads, conflicts, limits, and what becomes of them."""

import hashlib

import pytest
from sqlalchemy import func, select

from devices import device
from games import add_game
from playdock.features.saved_games import rules
from playdock.features.saved_games.rules import StoredSave
from playdock.metadata.game_metadata import GameMetadata
from playdock.models import SaveSlot, StoredObject
from saving import PATH, content_of, saves, upload, uploaded
from world import World, at_once


def objects_of_saves(world: World) -> int:
    with world.services.db.read() as session:
        is_save = StoredObject.reader.startswith(rules.OWNER_PREFIX)
        return session.scalar(select(func.count()).select_from(StoredObject).where(is_save)) or 0


@pytest.mark.both_databases
def test_devices_share_a_save_and_a_conflict_keeps_both(world: World) -> None:
    ada, game = world.admin(), add_game(world, GameMetadata("Portal"))
    laptop, tower = device(world, ada), device(world, ada, device_name="Tower")

    first = uploaded(laptop, game, b"level 1")
    second = uploaded(tower, game, b"level 2", first)
    assert [(each["id"], each["newest"], each["device"]) for each in saves(ada)] == [
        (second, True, "Tower"),
        (first, False, "Ada's laptop"),
    ]
    # What is the newest already is not stored twice, whatever it is said to be based on.
    assert uploaded(laptop, game, b"level 2", first) == second

    for _ in range(2):
        conflict = upload(laptop, game, b"level 1b", first)
        assert (conflict.status_code, conflict.json()["type"]) == (409, "save-conflict")
    [kept] = [each["id"] for each in saves(laptop) if each["aside"]]
    assert content_of(laptop, kept) == b"level 1b"
    assert [(each["id"], each["newest"], each["aside"]) for each in saves(tower, game)] == [
        (second, True, False),
        (first, False, False),
        (kept, False, True),
    ]
    restored = laptop.post(f"{PATH}/{kept}/restore").json()
    assert (restored["id"], restored["newest"], restored["aside"]) == (kept, True, False)
    assert uploaded(tower, game, b"level 3", kept) == saves(ada)[0]["id"]
    # Another slot has its own newest save.
    other = uploaded(laptop, game, b"level 1", slot=4)
    assert {each["id"] for each in saves(ada) if each["newest"]} == {other, saves(ada)[0]["id"]}


def test_only_one_of_two_simultaneous_uploads_becomes_the_newest(world: World) -> None:
    ada, game = world.admin(), add_game(world, GameMetadata("Portal"))
    base = uploaded(ada, game, b"0")
    made = at_once([lambda n=n: upload(ada, game, b"%d" % n, base) for n in range(1, 5)])  # type: ignore[misc]
    assert sorted(each.status_code for each in made) == [201, 409, 409, 409]
    assert sorted(content_of(ada, each["id"]) for each in saves(ada)) == [b"%d" % n for n in range(5)]


def test_a_save_is_fetched_whole_in_parts_and_only_by_its_owner(world: World) -> None:
    ada, bob, game = world.admin(), world.person("bob"), add_game(world, GameMetadata("Portal"))
    large = bytes(range(256)) * 50_000
    save = uploaded(ada, game, large)
    path = f"{PATH}/{save}/content"
    whole = ada.get(path)
    assert (whole.content, whole.headers["etag"]) == (large, f'"{hashlib.sha256(large).hexdigest()}"')
    part = ada.get(path, headers={"Range": "bytes=1000000-1000999"})
    assert (part.status_code, part.content) == (206, large[1_000_000:1_001_000])
    assert ada.get(path, headers={"Range": f"bytes={len(large)}-"}).status_code == 416

    refused = [
        bob.get(path),
        bob.post(f"{PATH}/{save}/restore"),
        bob.delete(f"{PATH}/{save}"),
        # Not even with the permission to view images.
        ada.get(f"/api/v1/object/{save}"),
    ]
    assert {each.status_code for each in refused} == {404}
    assert saves(bob) == []
    reader = world.token_of(ada, "user:saves:read")
    assert content_of(reader, save) == large
    assert upload(reader, game, b"x", save).json()["type"] == "permission-missing"


def test_what_cannot_be_stored_is_refused_and_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, game = world.admin(), add_game(world, GameMetadata("Portal"))
    settings = world.services.settings
    monkeypatch.setattr(settings, "saves_max_bytes", 100)
    monkeypatch.setattr(settings, "saves_kept", 2)
    first = uploaded(ada, game, b"a" * 40)
    assert upload(ada, game, b"b" * 101, first).json()["type"] == "save-too-large"
    changed = upload(ada, game, b"c", first, sha256="0" * 64)
    assert (changed.status_code, changed.json()["type"]) == (460, "save-changed")
    assert upload(ada, "nothing", b"d").json()["type"] == "game-unknown"
    second = uploaded(ada, game, b"e" * 50, first)
    full = upload(ada, game, b"f" * 60, second)
    assert (full.json()["type"], full.json()["parameters"]) == ("saves-full", {"most": 100})
    # The oldest save makes room, since only two are kept.
    third = uploaded(ada, game, b"g" * 45, second)
    listed = ada.get(PATH).json()
    assert ([each["id"] for each in listed["saves"]], listed["used"], listed["most"]) == ([third, second], 95, 100)
    assert objects_of_saves(world) == 2


def test_saves_are_deleted_by_hand_and_with_their_game_and_user(world: World) -> None:
    ada, bob, game = world.admin(), world.person("bob"), add_game(world, GameMetadata("Portal"))
    only = uploaded(ada, game, b"1")
    assert [ada.delete(f"{PATH}/{only}").status_code for _ in range(2)] == [204, 404]
    assert objects_of_saves(world) == 0
    with world.services.db.read() as session:
        assert session.scalar(select(func.count()).select_from(SaveSlot)) == 0

    other = add_game(world, GameMetadata("Quake"))
    gone = [uploaded(ada, game, b"2"), uploaded(bob, other, b"3")]
    kept = uploaded(ada, other, b"4")
    assert ada.delete(f"/api/v1/admin/game/{game}").status_code == 204
    assert ada.delete(f"/api/v1/admin/users/{bob.user['id']}").status_code == 204
    service, blobs = world.services.saved_games, world.services.blobs
    service.remove_unused(before=world.clock())
    world.services.objects.sweep(before=world.clock())
    assert (objects_of_saves(world), content_of(ada, kept)) == (1, b"4")
    present = {each.key for each in blobs.entries("objects")}
    assert not present & {f"objects/{each}" for each in gone}


def test_a_save_whose_bytes_are_lost_says_so(world: World) -> None:
    ada, game = world.admin(), add_game(world, GameMetadata("Portal"))
    save = uploaded(ada, game, b"1")
    world.services.blobs.delete(f"objects/{save}")
    lost = ada.get(f"{PATH}/{save}/content")
    assert (lost.status_code, lost.json()["type"]) == (410, "save-lost")


def some(*positions: int, aside: tuple[int, ...] = ()) -> list[StoredSave]:
    return [StoredSave(str(each), "", 1, each, each in aside) for each in positions]


def test_the_oldest_saves_are_superseded_but_never_the_newest() -> None:
    assert rules.superseded(some(1, 2, 3), kept=2, new="3") == ["1"]
    assert rules.superseded(some(1, 2, 3), kept=0, new="3") == []
    assert rules.superseded(some(1, 2, 3, aside=(2, 3)), kept=1, new="3") == ["2"]
    assert [rules.free_slot(each) for each in ([], [0, 2], [0, 1, 2, 3, 4])] == [0, 1, None]
