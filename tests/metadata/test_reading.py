"""What providers answer, read piece by piece."""

from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.metadata.facts import Precision, ReleaseDate
from playdock.metadata.reading import (
    calendar_day,
    day,
    names,
    one_name,
    page_path,
    read,
    read_all,
    released,
    share,
    tagged_id,
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
def test_what_is_of_a_wrong_type_is_left_out(answer: object, expected: Whole) -> None:
    assert read(Whole, answer) == expected


@pytest.mark.parametrize("answer", [None, 7, "x", [], [{}]])
def test_what_is_no_object_is_refused(answer: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(Whole, answer)


@pytest.mark.parametrize("answer", [None, 7, {}, {"name": "a"}, [1], [[{}], 3]])
def test_what_is_no_list_of_objects_is_refused(answer: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_all(Part, answer)


def test_a_list_is_read_without_what_is_no_object() -> None:
    assert read_all(Part, [{"name": "a"}, 3]) == (Part("a"),)
    assert read_all(Part, []) == ()


@given(JSON)
def test_an_object_of_whatever_is_read(value: object) -> None:
    answer = dict.fromkeys(("name", "count", "part", "parts"), value)

    assert isinstance(read(Whole, answer), Whole)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("  a \n b\t", "a b"), ("\x00a\u202e\ud800", "a"), ("a" * 300, "a" * 256), ("", ""), ("™ Ü", "™ Ü")],
)
def test_names_are_on_one_line(text: str, expected: str) -> None:
    assert one_name(text) == expected


def test_names_are_told_once_and_not_without_end() -> None:
    assert names(["a", " a ", "", "b", "c"], most=2) == ("a", "b")


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
def test_absurd_moments_are_no_days(seconds: float, expected: date | None) -> None:
    assert day(seconds) == expected


@given(st.integers(), st.integers(), st.integers())
def test_days_that_there_are_not_are_none(year: int, month: int, day_of_month: int) -> None:
    found = calendar_day(year, month, day_of_month)
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
def test_a_less_exact_date_is_the_first_day_of_what_is_known(precision: Precision, first: date) -> None:
    assert released(date(2027, 6, 30), precision) == ReleaseDate(first, precision)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0.0), (50, 0.5), (100, 1.0), (101, None), (-1, None), (1e999, None)]
)
def test_a_share_is_between_0_and_1(value: float, expected: float | None) -> None:
    assert share(value, of=100) == expected


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
def test_only_addresses_of_the_web_are_told(address: str) -> None:
    assert web_address(address) == ""


@pytest.mark.parametrize("address", ["http://a.example", "https://a.example:8443/b?c=d#e", "https://ä.example/ü"])
def test_addresses_of_the_web_are_told_as_they_are(address: str) -> None:
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
def test_tags_are_read_alone_or_in_brackets(query: str, found: str) -> None:
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
def test_pages_are_those_of_the_site(query: str, path: str) -> None:
    assert page_path(query, "https://a.example", "http://127.0.0.1:7000/api") == path


@given(st.text())
def test_no_query_is_too_odd(query: str) -> None:
    assert isinstance(page_path(query, "https://a.example"), str)
    assert isinstance(page_path(f"https://a.example{query}", "https://a.example"), str)
    assert isinstance(tagged_id(query, "steam"), str)
