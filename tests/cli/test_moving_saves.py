"""Saved games in exports: moved to people who play here already, interrupted, limited, damaged and undone."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from games import add_game
from other_servers import drop, gamevault, romm
from playdock.features.moving_in import queries
from playdock.metadata.game_metadata import GameMetadata
from saving import PATH, content_of, saves, uploaded
from world import Caller, World

from .conftest import Prompt
from .moving import prompt_of


class _InterruptedError(BaseException):
    """The process is killed."""


def _prompt(world: World, **more: str) -> Prompt:
    settings = world.services.settings
    return Prompt(world.folder, {"DATA_DIR": str(settings.data_dir), "DATABASE_URL": settings.database_url, **more})


def _listed(caller: Caller) -> list[tuple[int, bytes, bool, bool]]:
    return [(each["slot"], content_of(caller, each["id"]), each["newest"], each["aside"]) for each in saves(caller)]


@pytest.fixture
def exported(embedded_world: World) -> tuple[World, Caller, str]:
    """A server with an export of three saves, of which it has none anymore."""
    world = embedded_world
    ada, game = world.admin("ada"), add_game(world, GameMetadata("Portal"))
    first = uploaded(ada, game, b"level 1")
    uploaded(ada, game, b"level 2", first)
    uploaded(ada, game, b"other", slot=2)
    assert _prompt(world).run("export", "export").status == 0
    assert "Nothing was added" in _prompt(world).run("import-export", "export").out
    for each in saves(ada):
        assert ada.request("DELETE", f"{PATH}/{each['id']}").is_success
    return world, ada, game


def test_saves_come_back_after_any_interruption_and_are_undone(
    exported: tuple[World, Caller, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, ada, game = exported
    own = uploaded(ada, game, b"level 9")
    record, calls = queries.add, 0

    def interrupted(*values: Any, **named: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise _InterruptedError
        return record(*values, **named)

    monkeypatch.setattr(queries, "add", interrupted)
    for _ in range(2):
        calls = 0
        with pytest.raises(_InterruptedError):
            _prompt(world).run("import-export", "export")
    monkeypatch.undo()
    assert "saved games: 1" in _prompt(world).run("import-export", "export").out

    # The newest save here remains; the moved ones are kept aside, and nothing is added twice.
    moved = [
        (0, b"level 9", True, False),
        (0, b"level 2", False, True),
        (0, b"level 1", False, True),
        (2, b"other", True, False),
    ]
    assert _listed(ada) == moved
    assert "Nothing was added" in _prompt(world).run("import-export", "export").out
    assert _listed(ada) == moved

    restored = saves(ada)[1]["id"]
    assert ada.post(f"{PATH}/{restored}/restore").is_success
    assert _prompt(world).run("import-export", "--undo").status == 0
    assert [each["id"] for each in saves(ada)] == [restored, own]
    stored = [path.name for path in (world.services.settings.data_dir / "objects").rglob("*") if path.is_file()]
    assert {restored, own} <= set(stored)
    assert len(stored) == len(set(stored)) == 3


def test_what_exceeds_the_limit_or_is_damaged_is_named(exported: tuple[World, Caller, str]) -> None:
    world, ada, _ = exported
    damaged = next(each for each in Path(world.folder / "export/saves").iterdir() if each.read_bytes() == b"other")
    damaged.write_bytes(b"0ther")

    limited = _prompt(world, SAVES_MAX_BYTES="13").run("import-export", "export")
    assert "ada: 1 with 7 bytes are left out" in limited.out
    assert f"saves/{damaged.name}: is damaged" in limited.out
    assert _listed(ada) == [(0, b"level 2", True, False)]

    damaged.write_bytes(b"other")
    aside = damaged.rename(world.folder / "aside")
    assert "is missing" in _prompt(world).run("import-export", "export").out
    aside.rename(damaged)
    assert _prompt(world).run("import-export", "export").status == 0
    # The older one takes its place in the history.
    assert _listed(ada) == [
        (0, b"level 2", True, False),
        (0, b"level 1", False, False),
        (2, b"other", True, False),
    ]


@pytest.mark.parametrize(
    ("other", "mapped", "user", "devices"),
    [
        (gamevault, "/files", "alyx", ["GameVault", "GameVault"]),
        (romm, "/romm/library", "chell", ["RomM: b.zip", "RomM: a.zip"]),
    ],
    ids=["gamevault", "romm"],
)
def test_saves_of_servers_that_store_them_as_files_are_moved(
    embedded_world: World, other: ModuleType, mapped: str, user: str, devices: list[str]
) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    kind = other.__name__.rpartition(".")[2]
    other.library(world.games)
    address = f"sqlite:///{world.folder}/other.sqlite"
    other.household(address)
    options = ("migrate", kind, "--from", address, "--map", f"{mapped}={world.games}")
    assert "--saves" in prompt.run(*options, "--plan").out
    assert prompt.run(*options).status == 0

    folder = other.saved(world.folder / "saves")
    assert "saved games" in prompt.run(*options, "--saves", str(folder), "--plan").out
    assert "saved games: 2" in prompt.run(*options, "--saves", str(folder)).out
    assert "Nothing was added" in prompt.run(*options, "--saves", str(folder)).out

    caller = world.with_token(world.sign_in(user, drop.PASSWORD).json()["accessToken"])
    # Devices of players continue with the first slot, number 0.
    assert _listed(caller) == [(1, b"level 2", True, False), (1, b"level 1", False, False)]
    assert [each["device"] for each in saves(caller)] == devices
    assert [each["created"][:10] for each in saves(caller)] == ["2026-01-03", "2026-01-02"]
    assert prompt.run("migrate", kind, "--undo").status == 0


def test_a_save_that_romm_has_replaced_since_is_moved(embedded_world: World) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    romm.library(world.games)
    address, folder = f"sqlite:///{world.folder}/other.sqlite", romm.saved(world.folder / "saves")
    romm.household(address)
    options = ("migrate", "romm", "--from", address, "--map", f"/romm/library={world.games}", "--saves", str(folder))
    assert prompt.run(*options).status == 0

    romm.save_again(address, folder)

    assert "saved games: 1" in prompt.run(*options).out
    caller = world.with_token(world.sign_in("chell", drop.PASSWORD).json()["accessToken"])
    assert _listed(caller)[0] == (1, b"level 3", True, False)
    assert [content for _, content, _, _ in _listed(caller)] == [b"level 3", b"level 2", b"level 1"]


def test_a_folder_without_saves_is_an_error(embedded_world: World) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    address = f"sqlite:///{world.folder}/other.sqlite"
    gamevault.household(address)
    refused = prompt.run("migrate", "gamevault", "--from", address, "--saves", str(world.folder))
    assert refused.status
    assert "does not contain saved games" in refused.err
    refused = prompt.run("migrate", "drop", "--from", "postgresql://x/y", "--saves", str(world.folder))
    assert "with --objects" in refused.err
