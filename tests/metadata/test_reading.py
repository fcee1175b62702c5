"""Tolerant parsing of responses."""

from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.metadata.game_metadata import Precision, ReleaseDate
from playdock.metadata.reading import (
    clean_name,
    date_from_timestamp,
    date_or_none,
    page_path,
    read,
    read_all,
    release_date,
    scaled_score,
    tagged_id,
    unique_names,
    web_address,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(("name", "parts", "x")), inner),
)


class Part(msgspec.Struct, frozen=True):
    name: str = ""


class Whole(msgspec.Struct, frozen=True):
    name: str = ""
    count: int = 0
    part: Part = Part()
    parts: tuple[Part, ...] = ()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, Whole()),
        ({"name": "a", "more": 1}, Whole("a")),
        ({"name": 5, "count": "7"}, Whole(count=7)),
        ({"count": "many", "part": [], "name": "a"}, Whole("a")),
        ({"part": {"name": None}, "name": None}, Whole()),
        ({"parts": [1, {"name": "b"}, {"name": 2}, None]}, Whole(parts=(Part("b"), Part()))),
        ({"parts": {"name": "b"}, "name": "a"}, Whole("a")),
    ],
)
def test_values_of_a_wrong_type_are_left_out(answer: object, expected: Whole) -> None:
    assert read(Whole, answer) == expected


@pytest.mark.parametrize("answer", [None, 7, "x", [], [{}]])
def test_a_value_that_is_not_an_object_is_rejected(answer: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(Whole, answer)


@pytest.mark.parametrize("answer", [None, 7, {}, {"name": "a"}, [1], [[{}], 3]])
def test_a_value_that_is_not_a_list_of_objects_is_rejected(answer: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_all(Part, answer)


def test_items_that_are_not_objects_are_left_out_of_a_list() -> None:
    assert read_all(Part, [{"name": "a"}, 3]) == (Part("a"),)
    assert read_all(Part, []) == ()


@given(JSON)
def test_an_object_with_any_values_is_read(value: object) -> None:
    answer = dict.fromkeys(("name", "count", "part", "parts"), value)

    assert isinstance(read(Whole, answer), Whole)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("  a \n b\t", "a b"), ("\x00a\u202e\ud800", "a"), ("a" * 300, "a" * 256), ("", ""), ("™ Ü", "™ Ü")],
)
def test_names_are_on_one_line(text: str, expected: str) -> None:
    assert clean_name(text) == expected


def test_names_are_unique_and_limited() -> None:
    assert unique_names(["a", " a ", "", "b", "c"], limit=2) == ("a", "b")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, date(1970, 1, 1)),
        (-1, date(1969, 12, 31)),
        (1e300, None),
        (-(10**12), None),
        (5e9, None),
        (4e9, date(2096, 10, 2)),
    ],
)
def test_implausible_timestamps_have_no_date(seconds: float, expected: date | None) -> None:
    assert date_from_timestamp(seconds) == expected


@given(st.integers(), st.integers(), st.integers())
def test_invalid_dates_are_none(year: int, month: int, day_of_month: int) -> None:
    found = date_or_none(year, month, day_of_month)
    assert found is None or (found.year, found.month, found.day) == (year, month, day_of_month)


@pytest.mark.parametrize(
    ("precision", "first"),
    [
        (Precision.DAY, date(2027, 6, 30)),
        (Precision.MONTH, date(2027, 6, 1)),
        (Precision.QUARTER, date(2027, 4, 1)),
        (Precision.YEAR, date(2027, 1, 1)),
    ],
)
def test_an_imprecise_date_is_the_first_day_of_its_period(precision: Precision, first: date) -> None:
    assert release_date(date(2027, 6, 30), precision) == ReleaseDate(first, precision)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0.0), (50, 0.5), (100, 1.0), (101, None), (-1, None), (1e999, None)]
)
def test_a_scaled_score_is_between_0_and_1(value: float, expected: float | None) -> None:
    assert scaled_score(value, of=100) == expected


@pytest.mark.parametrize(
    "address",
    [
        "",
        "x",
        "//a.example/b",
        "ftp://a.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://",
        "http://[",
        "http://a b",
        "http://a.example/\n",
        'http://a.example/"x',
        "http://a.example/<x",
        "http://user:secret@a.example/",
        f"http://a.example/{'x' * 3000}",
    ],
)
def test_only_web_urls_are_accepted(address: str) -> None:
    assert web_address(address) == ""


@pytest.mark.parametrize("address", ["http://a.example", "https://a.example:8443/b?c=d#e", "https://ä.example/ü"])
def test_web_urls_are_returned_unchanged(address: str) -> None:
    assert web_address(address) == address


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("steam-570", "570"),
        ("Dota 2 (steam-570)", "570"),
        ("[STEAM:570]", "570"),
        ("{steam_570}", "570"),
        ("gog-570", ""),
        ("Dota steam-570", ""),
        ("steam", ""),
        ("", ""),
    ],
)
def test_tags_are_recognized_alone_or_in_brackets(query: str, found: str) -> None:
    assert tagged_id(query, "steam") == found


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("https://www.a.example/b%20c?d=e#f", "/b c"),
        (" http://A.example/b ", "/b"),
        ("https://a.example:444/b", ""),
        ("https://a.example.org/b", ""),
        ("https://x@a.example/b", ""),
        ("a.example/b", ""),
        ("https://[", ""),
    ],
)
def test_only_pages_of_the_site_have_a_path(query: str, path: str) -> None:
    assert page_path(query, "https://a.example", "http://127.0.0.1:7000/api") == path


@given(st.text())
def test_any_query_is_accepted(query: str) -> None:
    assert isinstance(page_path(query, "https://a.example"), str)
    assert isinstance(page_path(f"https://a.example{query}", "https://a.example"), str)
    assert isinstance(tagged_id(query, "steam"), str)
