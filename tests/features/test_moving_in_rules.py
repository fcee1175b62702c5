"""What is decided when a server moves in: names, folders and hashes."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from playdock.domain.libraries.schemas import BackendKind
from playdock.features.moving_in.rules import (
    Step,
    is_usable,
    layout_of,
    path_here,
    plan_libraries,
    plan_users,
    remarks_on_users,
    username_here,
)
from playdock.features.moving_in.save_rules import OfferedSave, chosen_saves, save_here, save_target
from playdock.features.saved_games import rules as save_rules
from playdock.features.saved_games.rules import StoredSave, newest
from playdock.metadata.game_metadata import GameMetadata
from playdock.other_servers import rules
from playdock.other_servers.model import (
    MAX_SLOTS,
    Command,
    SourceGame,
    SourceLibrary,
    SourceSave,
    SourceSaveSlot,
    SourceUser,
)
from playdock.storage.library_policy import place_of

_BCRYPT = "$2a$10$BC4oC/.tSdtvQN2DiCUBfuWsn0LZWGXQ6m8HBSfypGJ0bcEC/.wyO"


@pytest.mark.parametrize(
    ("path", "mapped", "here"),
    [
        ("/library", {}, "/library"),
        ("/library/", {"/library": "/srv/games"}, "/srv/games"),
        ("/library/pc", {"/library": "/srv/games/"}, "/srv/games/pc"),
        ("/library2", {"/library": "/srv/games"}, "/library2"),
        ("/a/b/c", {"/a": "/x", "/a/b": "/y"}, "/y/c"),
        ("/a", {"/": "/mnt"}, "/mnt/a"),
    ],
)
def test_the_most_specific_mapping_of_a_folder_applies(path: str, mapped: dict[str, str], here: str) -> None:
    assert path_here(path, mapped) == here


@pytest.mark.parametrize(
    ("wanted", "taken", "name"),
    [
        ("ada", set(), "ada"),
        ("john.doe", set(), "johndoe"),
        ("john.doe", {"johndoe"}, "johndoe2"),
        ("Jo", set(), "Jouser"),
        ("日本", set(), "user"),
        ("日本", {"user"}, "uu2"),
        ("a" * 40, {"a" * 32}, f"{'a' * 26}2"),
    ],
)
def test_user_names_become_valid_and_unique(wanted: str, taken: set[str], name: str) -> None:
    assert username_here(wanted, taken) == name


def test_a_valid_user_name_is_kept_although_another_one_becomes_the_same() -> None:
    users = [SourceUser(name, name, "", "", False, True, "") for name in ("ad.min", "Admin", "admin", "bob", "carl")]
    planned = plan_users(users, moved={"carl": "7"}, present={"bob": "5", "charles": "7"})

    assert [(each.source.key, each.step, each.username) for each in planned] == [
        ("ad.min", Step.ADD, "admin2"),
        ("Admin", Step.ADD, "Admin"),
        ("admin", Step.ADD, "admin3"),
        ("bob", Step.PRESENT, "bob"),
        ("carl", Step.MOVED, "charles"),
    ]
    # Also the next run names those who were renamed, since the first one may have been killed.
    assert [each.text for each in remarks_on_users(planned) if each.about == "User carl"] == ["is charles here."]


@pytest.mark.parametrize("here", ["games", "games/", "other/../games", "link", "link/"])
def test_a_library_of_the_same_folder_is_used(tmp_path: Path, here: str) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("games")
    source = SourceLibrary("a", "Games", str(tmp_path / "games"))

    for flat, step in ((False, Step.PRESENT), (True, Step.ADD)):
        present = {"1": (f"{tmp_path}/{here}", flat)}
        (planned,) = plan_libraries([source], mapped={}, moved={}, present=present, place_of=place_of)
        assert planned.step is step


@pytest.mark.parametrize(
    ("stored", "usable"),
    [
        (_BCRYPT, True),
        (_BCRYPT.replace("$2a$10", "$2y$12"), True),
        (_BCRYPT.replace("$10$", "$31$"), False),
        ("$argon2id$v=19$m=65536,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$useOCyYy33KRLpEBCts2qZ5uiOU7S0pxuEg4LbAoP4Y", True),
        ("$argon2id$v=19$m=99999999,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$useOCyYy33KRLpEBCts2qZ5uiOU7S0pxuEg4LbAoP4Y", False),
        ("secret", False),
        ("", False),
    ],
)
def test_only_known_hashes_with_bounded_costs_are_moved(stored: str, *, usable: bool) -> None:
    assert is_usable(stored) is usable


@pytest.mark.parametrize(
    ("written", "readings"),
    [
        ("", []),
        ("./game", [Command("game")]),
        ("bin\\game.exe -w 'a b'", [Command("bin/game.exe", "-w 'a b'"), Command("bin/game.exe -w 'a b'")]),
        ("My Game.exe", [Command("My", "Game.exe"), Command("My Game.exe")]),
        ('"My Game.exe" -f', [Command("My Game.exe", "-f"), Command('"My Game.exe" -f')]),
        ("Alice's.exe", [Command("Alice's.exe")]),
    ],
)
def test_a_command_line_is_read_as_a_shell_does_or_as_a_path(written: str, readings: list[Command]) -> None:
    assert list(rules.commands(written)) == readings


@pytest.mark.parametrize(
    ("value", "year"), [("2007-10-10", 2007), ("1970-01-01T00:00:00Z", None), (1191974400, 2007), ("?", None)]
)
def test_unknown_release_dates_are_left_out(value: object, year: int | None) -> None:
    found = rules.released(value)
    assert (found.date.year if found else None) == year


@pytest.mark.parametrize(
    ("kept", "found", "layout"),
    [
        ("FlatFilesystem", "Filesystem", "FlatFilesystem"),
        ("Filesystem", None, "Filesystem"),
        (None, "FlatFilesystem", "FlatFilesystem"),
        ("S3", "Filesystem", "Filesystem"),
        ("Filesystem", "S3", "S3"),
        ("S3", "S3", "S3"),
    ],
)
def test_a_game_keeps_the_layout_of_its_folder_unless_one_of_the_two_is_in_s3(
    kept: str | None, found: str | None, layout: str
) -> None:
    game = SourceGame("1", "1", "Doom", GameMetadata("Doom"), "Manual", "", layout=BackendKind(kept) if kept else None)

    assert layout_of(game, found) == layout


@pytest.mark.parametrize(
    ("places", "most", "left", "chosen"),
    [
        (9, 9, None, ["b3", "a4", "b2", "b1", "a5"]),
        # The newest of each slot come first, and are moved to a full slot.
        (0, 9, None, ["b3", "a4"]),
        (2, 9, None, ["b3", "a4", "b2", "a5"]),
        (9, 9, 10, ["b3", "a4", "b2"]),
        (9, 9, 8, ["b3", "a4", "b1"]),
        (9, 3, None, ["b3", "b2", "b1"]),
        (9, 9, 0, []),
    ],
)
def test_the_newest_saves_are_moved_first(places: int, most: int, left: int | None, chosen: list[str]) -> None:
    sizes = {"a4": 4, "a5": 4, "b1": 1, "b2": 3, "b3": 3}
    days = {"a4": 8, "a5": 1, "b1": 2, "b2": 7, "b3": 9}
    saves = {key: SourceSave(key, "", "", int(key[1]), aside=key == "a5") for key in days}
    slots = {name: SourceSaveSlot("ada", name, 0, tuple(saves[key] for key in days if key[0] == name)) for name in "ab"}
    offered = [
        OfferedSave(slots[key[0]], save, datetime(2026, 1, days[key], tzinfo=UTC), sizes[key])
        for key, save in saves.items()
    ]
    found = chosen_saves(offered, places={("a", 0): places, ("b", 0): places}, most=most, left=left)
    assert [each.save.key for each in found] == chosen


def test_what_follows_in_a_history_that_loses_its_oldest_saves_becomes_the_newest() -> None:
    here: list[StoredSave] = []
    moved: set[str] = set()
    for history in ("abc", "bcd", "de", "aef"):
        slot = SourceSaveSlot("ada", "portal", 0, tuple(SourceSave(each, "", "", n) for n, each in enumerate(history)))
        known = {each.id for each in here}
        for save in slot.saves:
            if save.key not in known:
                is_old = any(each.key in known for each in slot.saves[save.position :])
                offered = OfferedSave(slot, save, datetime(2026, 1, 1, tzinfo=UTC), 1, is_old)
                here.append(save_here(offered, save.key, present=here, moved=moved))
                moved.add(save_target(save.key, here[-1].position))
        head = newest(here)
        assert head is not None
        assert (head.id, len({each.position for each in here})) == (history[-1], len(here))


def test_the_slots_that_are_moved_are_those_that_there_are_here() -> None:
    assert MAX_SLOTS == save_rules.MAX_SLOTS
