"""The numbers of games in the store are counted once after each change."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from games import add_game
from playdock.features.store import queries
from playdock.metadata.game_metadata import GameMetadata, TagFact, TagKind
from world import Caller, World

STRATEGY, PUZZLE = TagFact(TagKind.GENRE, "Strategy"), TagFact(TagKind.GENRE, "Puzzle")


def test_games_are_counted_again_only_after_a_change(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, bob = world.admin(), world.person()
    counted: list[str] = []

    def note(name: str, count: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        counted.append(name)
        return count(*arguments, **options)

    for name in ("count", "tags_in_use", "companies_in_use"):
        monkeypatch.setattr(queries, name, partial(note, name, getattr(queries, name)))

    def total(caller: Caller, **wanted: str) -> int:
        number: int = caller.get("/api/v1/store", params=wanted).json()["total"]
        return number

    def seen(caller: Caller) -> tuple[int, int, list[dict[str, Any]]]:
        tags = caller.get("/api/v1/store/tags").json()
        return total(caller), total(caller, platform="Linux"), tags

    add_game(world, GameMetadata("Chess", tags=(STRATEGY,)))
    assert seen(admin) == seen(admin)
    assert len(counted) == 3
    assert seen(bob)[0] == 1
    assert len(counted) == 6
    add_game(world, GameMetadata("Go", tags=(STRATEGY, PUZZLE)))
    assert [seen(each)[0] for each in (admin, bob, admin, bob)] == [2] * 4
    assert len(counted) == 12
    [strategy] = [tag for tag in seen(bob)[2] if tag["name"] == "Strategy"]
    assert strategy["games"] == 2
    assert len(counted) == 12
