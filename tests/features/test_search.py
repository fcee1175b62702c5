"""Search: what people type finds what they mean, and is never more than data."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, text, update

from databases import Databases
from games import add_game
from playdock.domain.search import queries, rules
from playdock.domain.search.queries import GameSet
from playdock.domain.search.rules import SearchTerms, ranked
from playdock.features.store import queries as store_queries
from playdock.metadata.game_metadata import GameMetadata, TagFact, TagKind
from playdock.models import Company, Game, SearchEntry
from world import Caller, World, running_world

pytestmark = pytest.mark.both_databases

GAMES = (
    GameMetadata("The Witcher 3: Wild Hunt", developers=("CD Projekt RED",), description="Hunt monsters for **coin**."),
    GameMetadata("The Witcher", developers=("CD Projekt RED",), tags=(TagFact(TagKind.GENRE, "Role-playing"),)),
    GameMetadata("Thronebreaker: The Witcher Tales", publishers=("CD Projekt",)),
    GameMetadata("Half-Life", developers=("Valve",), short="Run. Think. Shoot. Live."),
    GameMetadata("Half-Life 2", developers=("Valve",), description="The gravity gun throws saw blades."),
    GameMetadata("Baldur's Gate III", developers=("Larian Studios",), tags=(TagFact(TagKind.GENRE, "Role-playing"),)),
    GameMetadata("Pokémon Mystery Dungeon", description="Dungeons that never look the same."),
    GameMetadata("Assassin's Creed Odyssey", publishers=("Ubisoft",)),
    GameMetadata("ダークソウル", description="You died."),
    GameMetadata("Portal", developers=("Valve",), tags=(TagFact(TagKind.THEME, "Science fiction"),)),
    GameMetadata("Gate of Doom"),
)


@pytest.fixture(scope="module")
def stocked(
    database_kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """A service with some games, for tests that change nothing."""
    databases: Databases = request.getfixturevalue(f"{database_kind}_databases")
    folder = tmp_path_factory.mktemp("stocked")
    with running_world(folder, database_url=databases.fresh(folder / "data")) as world:
        for facts in GAMES:
            add_game(world, facts)
        yield world


@pytest.fixture(scope="module")
def player(stocked: World) -> Caller:
    return stocked.person()


def _found(caller: Caller, q: str, **wanted: str) -> list[str]:
    """Return the names of what is found, the best first."""
    answer = caller.get("/api/v1/store", params={"q": q, **wanted})
    assert answer.status_code == 200, answer.text
    return [game["name"] for game in answer.json()["games"]]


def _found_in(world: World, q: str) -> list[str]:
    with world.services.db.read() as session:
        return [each.title for each in queries.candidates(session, SearchTerms.of(q))]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wichter 3", "The Witcher 3: Wild Hunt"),
        ("witcher wild hunt", "The Witcher 3: Wild Hunt"),
        ("hunt wild witcher", "The Witcher 3: Wild Hunt"),
        ("the wticher", "The Witcher"),
        ("haflife", "Half-Life"),
        ("half life", "Half-Life"),
        ("HALFLIFE 2", "Half-Life 2"),
        ("hal flife", "Half-Life"),
        ("Baldurs gate", "Baldur's Gate III"),
        ("baldur\u2019s gate 3", "Baldur's Gate III"),
        ("baldursgat", "Baldur's Gate III"),
        ("pokemon", "Pokémon Mystery Dungeon"),
        ("pokkemon mistery", "Pokémon Mystery Dungeon"),
        ("assasins odyssey", "Assassin's Creed Odyssey"),
        ("portall", "Portal"),
        ("potral", "Portal"),
        ("portl", "Portal"),
        ("ダークソウル", "ダークソウル"),
        ("ソウル", "ダークソウル"),
    ],
)
def test_the_best_match_is_listed_first(player: Caller, typed: str, meant: str) -> None:
    assert _found(player, typed)[:1] == [meant]


@pytest.mark.parametrize("length", range(1, len("thronebreaker") + 1))
def test_a_game_is_found_by_every_prefix_of_a_word(player: Caller, length: int) -> None:
    assert "Thronebreaker: The Witcher Tales" in _found(player, "thronebreaker"[:length])


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("valve", ["Half-Life", "Half-Life 2", "Portal"]),
        ("valve port", ["Portal"]),
        ("science fiction", ["Portal"]),
        ("role-playing", ["Baldur's Gate III", "The Witcher"]),
        ("monsters", ["The Witcher 3: Wild Hunt"]),
        ("gravity gun", ["Half-Life 2"]),
        ("gravi", ["Half-Life 2"]),
        ("shoot", ["Half-Life"]),
        ("no such game anywhere", []),
    ],
)
def test_companies_tags_and_descriptions_are_searched(player: Caller, typed: str, names: list[str]) -> None:
    assert _found(player, typed) == names


def test_exact_titles_rank_above_prefixes_and_those_above_words(player: Caller) -> None:
    names = ["The Witcher", "The Witcher 3: Wild Hunt", "Thronebreaker: The Witcher Tales"]
    assert _found(player, "witcher") == names


def test_descriptions_rank_below_titles(player: Caller) -> None:
    assert _found(player, "dungeon") == ["Pokémon Mystery Dungeon"]
    assert _found(player, "gate") == ["Gate of Doom", "Baldur's Gate III"]


def test_an_empty_query_lists_all_games(player: Caller) -> None:
    assert len(_found(player, "  ")) == len(GAMES)


@pytest.mark.parametrize("typed", ["\U0001f3ae", "???", '"', "_", "\u0301"])
def test_a_query_without_letters_finds_nothing(player: Caller, typed: str) -> None:
    assert _found(player, typed) == []


_SIGNS = [*"\"'\\*:^-+(){}&|!%_;漢éß\u202e\U0001f3ae", "''", "<->", ":*", "--"]
_SYNTAX = st.sampled_from([*_SIGNS, " AND ", " OR ", " NOT ", " NEAR(", "title:", "grams : ", "rank"])


@settings(max_examples=150, deadline=None)
@given(typed=st.one_of(st.text(max_size=256), st.lists(_SYNTAX | st.text(max_size=4), max_size=24).map("".join)))
def test_any_input_is_treated_as_data(player: Caller, typed: str) -> None:
    answer = player.get("/api/v1/store", params={"q": typed[:256]})
    assert answer.status_code == (400 if "\0" in typed[:256] else 200), answer.text


_SLIPS = {
    "doubled": lambda name, at: name[:at] + name[at] + name[at:],
    "swapped": lambda name, at: name[:at] + name[at + 1] + name[at] + name[at + 2 :],
    "missing": lambda name, at: name[:at] + name[at + 1 :],
    "wrong": lambda name, at: name[:at] + "q" + name[at + 1 :],
}


@settings(max_examples=100, deadline=None)
@given(
    name=st.sampled_from([facts.name for facts in GAMES if len(facts.name) > 7]),
    at=st.integers(0, 100),
    slip=st.sampled_from(sorted(_SLIPS)),
)
def test_a_single_typing_error_is_tolerated(player: Caller, name: str, at: int, slip: str) -> None:
    assert name in _found(player, _SLIPS[slip](name, at % (len(name) - 1)))


def test_a_query_of_maximum_length_is_accepted_and_a_longer_one_rejected(player: Caller) -> None:
    assert _found(player, "portal " * 36 + "port") == ["Portal"]
    assert player.get("/api/v1/store", params={"q": "x" * 257}).status_code == 400


def test_a_renamed_game_is_found_by_its_new_name_only(world: World) -> None:
    game = add_game(world, GameMetadata("Portal"))
    with world.services.db.write() as session:
        session.execute(update(Game).where(Game.id == game).values(name="Gateway"))
        queries.index_game(session, game)
    assert _found_in(world, "gateway") == ["gateway"]
    assert _found_in(world, "portal") == []


def test_a_renamed_company_is_found_by_the_new_name_only(world: World) -> None:
    games = [add_game(world, GameMetadata(name, developers=("Valve",))) for name in ("Portal", "Ricochet")]
    with world.services.db.write() as session:
        session.execute(update(Company).values(name="Crowbar"))
        queries.reindex(session, games)
    assert sorted(_found_in(world, "crowbar")) == ["portal", "ricochet"]
    assert _found_in(world, "valve") == []


def test_one_letter_finds_the_shortest_names_that_begin_with_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_BY_WORDS", 3)
    for name in ("Doom Eternal", "The Dig", "Doom", "Half-Life 2: Deathmatch", "D"):
        add_game(world, GameMetadata(name))
    assert sorted(_found_in(world, "d")) == ["d", "doom", "the dig"]
    assert "half life 2 deathmatch" in _found_in(world, "de")


@pytest.mark.parametrize("few", [2, 0])
@pytest.mark.parametrize("typed", ["d", "doom", "domo"])
def test_games_that_pass_a_filter_are_found_although_many_better_ones_do_not(
    world: World, monkeypatch: pytest.MonkeyPatch, typed: str, few: int
) -> None:
    """If few games pass it, all their titles are compared; otherwise, the best of all games are tried first."""
    monkeypatch.setattr(rules, "MAX_BY_WORDS", 2)
    monkeypatch.setattr(rules, "MAX_BY_GRAMS", 2)
    monkeypatch.setattr(store_queries, "MAX_SORTED", few)
    for number in range(8):
        add_game(world, GameMetadata(f"Doom {number}"))
    shooter = (TagFact(TagKind.GENRE, "Shooter"),)
    for name in ("Doom of the last world", "Doom of the last ship"):
        add_game(world, GameMetadata(name, tags=shooter))
    caller = world.person()
    [tag] = caller.get("/api/v1/store/tags").json()
    assert sorted(_found(caller, typed, tag=tag["id"])) == ["Doom of the last ship", "Doom of the last world"]


@pytest.mark.parametrize(
    "typed",
    ["d", "half l", "valve", "valve port", "dungeon", "gravi", "wichter 3", "haflife", "hunt wild witcher", "ソウル"],
)
def test_few_games_are_searched_as_all_are(stocked: World, typed: str) -> None:
    few = GameSet(select(Game.id), lambda _game_id: (), are_few=True)
    terms = SearchTerms.of(typed)
    with stocked.services.db.read() as session:
        compared = queries.candidates(session, terms, among=few)
        looked_up = queries.candidates(session, terms)
    assert looked_up
    assert [hit.game_id for hit in ranked(terms, compared)] == [hit.game_id for hit in ranked(terms, looked_up)]


def test_a_deleted_game_is_removed_from_the_index(world: World) -> None:
    game = add_game(world, GameMetadata("Portal"))
    with world.services.db.write() as session:
        session.execute(delete(Game).where(Game.id == game))
    with world.services.db.read() as session:
        assert session.query(SearchEntry).count() == 0
        assert session.scalar(text("SELECT count(*) FROM search_index")) == 0


def test_a_rolled_back_rename_does_not_change_the_index(world: World) -> None:
    game = add_game(world, GameMetadata("Portal"))
    with suppress(ZeroDivisionError), world.services.db.write() as session:
        session.execute(update(Game).where(Game.id == game).values(name="Gateway"))
        queries.index_game(session, game)
        raise ZeroDivisionError
    assert _found_in(world, "portal") == ["portal"]


def test_deleted_games_are_skipped_when_indexing(world: World) -> None:
    game = add_game(world, GameMetadata("Portal"))
    with world.services.db.write() as session:
        queries.reindex(session, ["nowhere", game])
    assert _found_in(world, "portal") == ["portal"]


@pytest.mark.parametrize("typed", ["Homeworld", "home world", "Homworld", "hoemworld"])
def test_titles_that_are_written_in_another_way_are_found_beside_exact_ones(world: World, typed: str) -> None:
    for name in ("Homeworld", "Home World II", "Homewerld"):
        add_game(world, GameMetadata(name))

    assert set(_found(world.person(), typed)) == {"Homeworld", "Home World II", "Homewerld"}


@pytest.mark.parametrize(
    "typed", ["Thornebreaker: The Witcher Tals", "Thronebraeker The Wicher Tales", "throne breaker the"]
)
def test_long_titles_are_found_with_errors_in_both_halves(player: Caller, typed: str) -> None:
    assert _found(player, typed)[0] == "Thronebreaker: The Witcher Tales"
