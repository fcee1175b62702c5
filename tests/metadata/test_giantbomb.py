"""GiantBomb: its envelopes and its records. What all providers promise is in the contract."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from databases import Databases
from playdock.fetching.web import Deadline
from playdock.metadata import giantbomb
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import AgeRating, GameFacts, Precision, RatingFact, ReleaseDate, Role
from playdock.metadata.giantbomb import GiantBomb
from playdock.metadata.office import Office
from playdock.settings import Settings
from providers.counter import Counter, open_counter
from providers.games import game
from providers.giantbomb import GiantBombStandIn
from providers.standin import json_answer, status

PORTAL_2 = f"3030-{game('Portal 2').giantbomb_id}"


@pytest.fixture
def counter(databases: Databases, tmp_path: Path) -> Iterator[Counter]:
    with open_counter(giantbomb.set_up, GiantBombStandIn(), databases=databases, folder=tmp_path) as opened:
        yield opened


@pytest.fixture
def there(counter: Counter) -> GiantBombStandIn:
    assert isinstance(counter.standin, GiantBombStandIn)
    return counter.standin


@pytest.fixture
def adapter(counter: Counter) -> GiantBomb:
    assert isinstance(counter.provider, GiantBomb)
    return counter.provider


def _soon() -> Deadline:
    return Deadline.after(10)


def _portal(adapter: GiantBomb) -> GameFacts:
    return adapter.fetch([PORTAL_2], within=_soon())[PORTAL_2]


def _told(there: GiantBombStandIn, adapter: GiantBomb, **record: Any) -> GameFacts:
    there.bend("/api/game", json_answer({"status_code": 1, "results": {"name": "A game"} | record}))
    return _portal(adapter)


def test_it_is_off_without_a_key(adapter: GiantBomb) -> None:
    office = Office(adapter.desk.web, adapter.desk.ledger, "Playdock/test")
    assert giantbomb.set_up(msgspec.convert({}, Settings), office) is None


def test_the_key_is_not_shown_with_the_adapter(adapter: GiantBomb) -> None:
    assert adapter.key not in repr(adapter)


# --- Envelopes ---


@pytest.mark.parametrize(
    ("code", "http", "reason"),
    [
        (100, 200, "refused the API key"),
        (100, 401, "refused the API key"),
        (102, 200, "answered with its error 102"),
        (107, 200, "may not be asked more often now"),
        (1, 420, "may not be asked more often now"),
        (1, 403, "refused the API key"),
        (1, 400, "answered with status 400"),
        (0, 200, "answered with something unexpected"),
        ("one", 200, "answered with something unexpected"),
    ],
)
def test_an_envelope_that_says_no_is_a_fault(
    there: GiantBombStandIn, adapter: GiantBomb, code: object, http: int, reason: str
) -> None:
    there.bend("/api", json_answer({"error": "No", "status_code": code, "results": []}, status=http))

    with pytest.raises(ProviderFault, match=rf"^GiantBomb {reason}\.$"):
        adapter.search("Portal", within=_soon())
    with pytest.raises(ProviderFault, match=rf"^GiantBomb {reason}\.$"):
        _portal(adapter)


def test_an_envelope_that_says_no_is_not_kept(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    there.bend("/api", json_answer({"error": "Later", "status_code": 107, "results": []}), times=1)

    with pytest.raises(ProviderFault):
        adapter.search("Portal", within=_soon())
    assert adapter.search("Portal", within=_soon())


@pytest.mark.parametrize("absent", [status(404), json_answer({"status_code": 101, "results": []})])
def test_a_game_that_is_not_there_is_left_out(there: GiantBombStandIn, adapter: GiantBomb, absent: Any) -> None:
    there.bend("/api/game", absent)

    assert adapter.fetch([PORTAL_2], within=_soon()) == {}


def test_a_wrong_key_is_told(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    there.key = "another"

    with pytest.raises(ProviderFault, match=r"^GiantBomb refused the API key\.$"):
        adapter.search("Portal", within=_soon())


# --- Games ---


@pytest.mark.parametrize(
    ("query", "recognised"),
    [
        ("giantbomb-4725", "3030-4725"),
        ("Half-Life 2 [GiantBomb-3030-4725]", "3030-4725"),
        ("https://www.giantbomb.com/half-life-2/3030-4725/", "3030-4725"),
        ("http://www.giantbomb.com/half-life-2/3030-4725", "3030-4725"),
        ("https://www.giantbomb.com/valve/3010-1374/", None),
        ("https://example.org/half-life-2/3030-4725/", None),
        ("4725", None),
        ("igdb-4725", None),
        ("", None),
    ],
)
def test_tags_and_pages_are_recognised(adapter: GiantBomb, query: str, recognised: str | None) -> None:
    assert adapter.recognise(query) == recognised


def test_the_facts_are_all_there(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    wanted = game("Portal 2")

    facts = _portal(adapter)

    assert (facts.name, facts.short) == ("Portal 2", wanted.summary)
    assert facts.released == ReleaseDate(date(2011, 4, 18))
    assert (facts.developers, facts.publishers) == (("Valve",), ("Valve",))
    assert [tag.name for tag in facts.tags] == [*wanted.genres, *wanted.themes]
    assert facts.age_ratings == (AgeRating("ESRB", "E10"), AgeRating("PEGI", "12+"))
    assert facts.ratings == (
        RatingFact("GiantBomb", 1.0, 1, f"{there.address}/reviews/portal-2/1900-{wanted.number}/"),
    )
    assert [each.role for each in facts.pictures] == [Role.COVER, Role.ICON, Role.CAROUSEL, Role.CAROUSEL]
    assert [each.url for each in facts.websites] == [there.page(wanted)]
    assert facts.external_ids == {"GiantBomb": PORTAL_2}


def test_links_in_descriptions_lead_to_the_site(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    description = _portal(adapter).description

    assert f"[Valve]({there.address}/portal-2/3010-1/)" in description
    assert "alert" not in description


def test_a_review_is_asked_for_with_a_game_alone(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    adapter.fetch([f"3030-{game(name).giantbomb_id}" for name in ("Portal", "Hades")], within=_soon())
    assert len(there.requests) == 2

    _portal(adapter)
    assert len(there.requests) == 4


def test_a_review_that_is_gone_costs_nothing_else(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    there.bend("/api/review", status(404))

    facts = _portal(adapter)

    assert (facts.name, facts.ratings) == ("Portal 2", ())


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"original_release_date": "2011-04-18 00:00:00"}, ReleaseDate(date(2011, 4, 18))),
        ({"original_release_date": "soon", "expected_release_year": "2031"}, (2031, 1, 1, Precision.YEAR)),
        ({"expected_release_year": 2031, "expected_release_quarter": 3}, (2031, 7, 1, Precision.QUARTER)),
        ({"expected_release_year": 2031, "expected_release_month": 5}, (2031, 5, 1, Precision.MONTH)),
        (
            {"expected_release_year": 2031, "expected_release_month": 5, "expected_release_day": 9},
            (2031, 5, 9, Precision.DAY),
        ),
        ({"expected_release_year": 2031, "expected_release_month": 13}, None),
        ({"expected_release_year": 2031, "expected_release_quarter": -9}, None),
        ({"original_release_date": "0001-01-01"}, None),
        ({"original_release_date": 7, "expected_release_year": None}, None),
    ],
)
def test_dates_are_as_exact_as_they_are_known(
    there: GiantBombStandIn, adapter: GiantBomb, record: dict[str, object], expected: Any
) -> None:
    if isinstance(expected, tuple):
        expected = ReleaseDate(date(*expected[:3]), expected[3])

    assert _told(there, adapter, **record).released == expected


def test_what_is_wrong_in_a_record_does_not_cost_the_rest(there: GiantBombStandIn, adapter: GiantBomb) -> None:
    facts = _told(
        there,
        adapter,
        deck=5,
        image="none",
        images=[{"original": f"{there.address}/a/{number}.jpg", "tags": "Screenshots"} for number in range(50)],
        developers="Valve",
        genres=[None, {"name": "Puzzle"}],
        original_game_rating=[{"name": "ESRB"}, {"name": "PEGI: 12+"}],
        site_detail_url="ftp://example.org",
        reviews=[{"id": "x"}],
    )

    assert (facts.short, facts.developers, facts.websites, facts.ratings) == ("", (), (), ())
    assert len(facts.pictures) == 12
    assert [tag.name for tag in facts.tags] == ["Puzzle"]
    assert facts.age_ratings == (AgeRating("PEGI", "12+"),)
