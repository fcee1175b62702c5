"""GiantBomb: its envelopes and records. The contract of all providers is tested in `test_contract.py`."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from databases import Databases
from playdock.fetching.requests import Deadline
from playdock.metadata import giantbomb
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import AgeRating, GameMetadata, Precision, RatingFact, ReleaseDate, Role
from playdock.metadata.giantbomb import GiantBomb
from playdock.settings import Settings
from providers.games import game
from providers.giantbomb import GiantBombStandIn
from providers.setup import Setup, open_provider
from providers.standin import json_answer, status

PORTAL_2 = f"3030-{game('Portal 2').giantbomb_id}"


@pytest.fixture
def setup(databases: Databases, tmp_path: Path) -> Iterator[Setup]:
    with open_provider(giantbomb.set_up, GiantBombStandIn(), databases=databases, folder=tmp_path) as opened:
        yield opened


@pytest.fixture
def standin(setup: Setup) -> GiantBombStandIn:
    assert isinstance(setup.standin, GiantBombStandIn)
    return setup.standin


@pytest.fixture
def adapter(setup: Setup) -> GiantBomb:
    assert isinstance(setup.provider, GiantBomb)
    return setup.provider


def _deadline() -> Deadline:
    return Deadline.after(120)


def _portal(adapter: GiantBomb) -> GameMetadata:
    return adapter.fetch([PORTAL_2], within=_deadline())[PORTAL_2]


def _fetched(standin: GiantBombStandIn, adapter: GiantBomb, **record: Any) -> GameMetadata:
    standin.override("/api/game", json_answer({"status_code": 1, "results": {"name": "A game"} | record}))
    return _portal(adapter)


def test_the_provider_is_disabled_without_a_key(adapter: GiantBomb) -> None:
    factory = ProviderClientFactory(adapter.client.web, adapter.client.provider_store, "Playdock/test")
    assert giantbomb.set_up(msgspec.convert({}, Settings), factory) is None


def test_the_key_is_not_shown_with_the_adapter(adapter: GiantBomb) -> None:
    assert adapter.key not in repr(adapter)


# --- Envelopes ---


@pytest.mark.parametrize(
    ("code", "http", "reason"),
    [
        (100, 200, "rejected the API key"),
        (100, 401, "rejected the API key"),
        (102, 200, r"reported an error \(102\)"),
        (107, 200, "has reached its rate limit"),
        (1, 420, "has reached its rate limit"),
        (1, 403, "rejected the API key"),
        (1, 400, "responded with status 400"),
        (0, 200, "sent an unexpected response"),
        ("one", 200, "sent an unexpected response"),
    ],
)
def test_an_envelope_with_an_error_is_an_error(
    standin: GiantBombStandIn, adapter: GiantBomb, code: object, http: int, reason: str
) -> None:
    standin.override("/api", json_answer({"error": "No", "status_code": code, "results": []}, status=http))

    with pytest.raises(ProviderError, match=rf"^GiantBomb {reason}\.$"):
        adapter.search("Portal", within=_deadline())
    with pytest.raises(ProviderError, match=rf"^GiantBomb {reason}\.$"):
        _portal(adapter)


def test_an_envelope_with_an_error_is_not_cached(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    standin.override("/api", json_answer({"error": "Later", "status_code": 107, "results": []}), times=1)

    with pytest.raises(ProviderError):
        adapter.search("Portal", within=_deadline())
    assert adapter.search("Portal", within=_deadline())


@pytest.mark.parametrize("absent", [status(404), json_answer({"status_code": 101, "results": []})])
def test_an_unknown_game_is_left_out(standin: GiantBombStandIn, adapter: GiantBomb, absent: Any) -> None:
    standin.override("/api/game", absent)

    assert adapter.fetch([PORTAL_2], within=_deadline()) == {}


def test_a_wrong_key_is_reported(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    standin.key = "another"

    with pytest.raises(ProviderError, match=r"^GiantBomb rejected the API key\.$"):
        adapter.search("Portal", within=_deadline())


# --- Games ---


@pytest.mark.parametrize(
    ("query", "recognized"),
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
def test_tags_and_pages_are_recognized(adapter: GiantBomb, query: str, recognized: str | None) -> None:
    assert adapter.recognize(query) == recognized


def test_the_metadata_is_complete(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    known = game("Portal 2")

    metadata = _portal(adapter)

    assert (metadata.name, metadata.short) == ("Portal 2", known.summary)
    assert metadata.released == ReleaseDate(date(2011, 4, 18))
    assert (metadata.developers, metadata.publishers) == (("Valve",), ("Valve",))
    assert [tag.name for tag in metadata.tags] == [*known.genres, *known.themes]
    assert metadata.age_ratings == (AgeRating("ESRB", "E10"), AgeRating("PEGI", "12+"))
    assert metadata.ratings == (
        RatingFact("GiantBomb", 1.0, 1, f"{standin.address}/reviews/portal-2/1900-{known.number}/"),
    )
    assert [each.role for each in metadata.pictures] == [Role.COVER, Role.ICON, Role.CAROUSEL, Role.CAROUSEL]
    assert [each.url for each in metadata.websites] == [standin.page(known)]
    assert metadata.external_ids == {"GiantBomb": PORTAL_2}


def test_links_in_descriptions_are_resolved_against_the_site(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    description = _portal(adapter).description

    assert f"[Valve]({standin.address}/portal-2/3010-1/)" in description
    assert "alert" not in description


def test_a_review_is_requested_only_for_a_single_game(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    adapter.fetch([f"3030-{game(name).giantbomb_id}" for name in ("Portal", "Hades")], within=_deadline())
    assert len(standin.requests) == 2

    _portal(adapter)
    assert len(standin.requests) == 4


def test_a_missing_review_affects_nothing_else(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    standin.override("/api/review", status(404))

    metadata = _portal(adapter)

    assert (metadata.name, metadata.ratings) == ("Portal 2", ())


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
def test_dates_have_the_precision_that_is_known(
    standin: GiantBombStandIn, adapter: GiantBomb, record: dict[str, object], expected: Any
) -> None:
    if isinstance(expected, tuple):
        expected = ReleaseDate(date(*expected[:3]), expected[3])

    assert _fetched(standin, adapter, **record).released == expected


def test_an_invalid_value_in_a_record_affects_only_itself(standin: GiantBombStandIn, adapter: GiantBomb) -> None:
    metadata = _fetched(
        standin,
        adapter,
        deck=5,
        image="none",
        images=[{"original": f"{standin.address}/a/{number}.jpg", "tags": "Screenshots"} for number in range(50)],
        developers="Valve",
        genres=[None, {"name": "Puzzle"}],
        original_game_rating=[{"name": "ESRB"}, {"name": "PEGI: 12+"}],
        site_detail_url="ftp://example.org",
        reviews=[{"id": "x"}],
    )

    assert (metadata.short, metadata.developers, metadata.websites, metadata.ratings) == ("", (), (), ())
    assert len(metadata.pictures) == 12
    assert [tag.name for tag in metadata.tags] == ["Puzzle"]
    assert metadata.age_ratings == (AgeRating("PEGI", "12+"),)
