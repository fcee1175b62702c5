"""Range requests (RFC 9110, section 14), by table and by property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.kit.ranges import Unsatisfiable, if_range_matches, parse_range

WHOLE = None
NOTHING = Unsatisfiable()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, WHOLE),
        ("", WHOLE),
        # One range.
        ("bytes=0-499", [(0, 500)]),
        ("bytes=500-999", [(500, 1000)]),
        ("bytes=0-0", [(0, 1)]),
        ("bytes=999-999", [(999, 1000)]),
        ("bytes=-1", [(999, 1000)]),
        ("bytes=-1000", [(0, 1000)]),
        ("bytes=-5000", [(0, 1000)]),
        ("bytes=900-", [(900, 1000)]),
        ("bytes=0-", [(0, 1000)]),
        ("bytes=900-5000", [(900, 1000)]),
        ("bytes=000-009", [(0, 10)]),
        # Several, in the order in which they were asked for.
        ("bytes=0-0,-1", [(0, 1), (999, 1000)]),
        ("bytes=500-600,0-9", [(500, 601), (0, 10)]),
        ("bytes=0-9,5-14", [(0, 10), (5, 15)]),
        ("bytes= 0-9 ,\t20-29 , ,", [(0, 10), (20, 30)]),
        ("bytes=0-499,500-999", [(0, 500), (500, 1000)]),
        # Of several, those that are not there are left out.
        ("bytes=0-9,5000-", [(0, 10)]),
        ("bytes=1000-,-0,5-5", [(5, 6)]),
        # Nothing that is there.
        ("bytes=1000-", NOTHING),
        ("bytes=1000-2000", NOTHING),
        ("bytes=-0", NOTHING),
        ("bytes=5000-,1000-1001", NOTHING),
        # Units are names of any case, and of other ones nobody here knows.
        ("Bytes=0-9", [(0, 10)]),
        ("lines=0-9", WHOLE),
        ("bytes", WHOLE),
        ("=0-9", WHOLE),
        # What is no range, alone or among others, is as if it were not there.
        ("bytes=", WHOLE),
        ("bytes=,", WHOLE),
        ("bytes=-", WHOLE),
        ("bytes=9-5", WHOLE),
        ("bytes=0-9,9-5", WHOLE),
        ("bytes=0-9,x", WHOLE),
        ("bytes=0 - 9", WHOLE),
        ("bytes=+0-9", WHOLE),
        ("bytes=0-9-", WHOLE),
        ("bytes=--9", WHOLE),
        ("bytes=0x0-0x9", WHOLE),
        ("bytes=0.0-9", WHOLE),
        ("bytes=\u0663-", WHOLE),
        ("bytes=0-9;20-29", WHOLE),
        ("bytes=0-9\n", WHOLE),
        # Numbers that no file reaches, and such as only cost time.
        ("bytes=0-9999999999999999999", [(0, 1000)]),
        ("bytes=0-99999999999999999999", WHOLE),
        ("bytes=-" + "9" * 5000, WHOLE),
        # More than there is, and more than anybody needs.
        ("bytes=0-,0-0", WHOLE),
        ("bytes=0-599,400-999", WHOLE),
        ("bytes=" + ",".join(["0-0"] * 128), [(0, 1)] * 128),
        ("bytes=" + ",".join(["0-0"] * 129), WHOLE),
    ],
)
def test_range_headers_are_parsed(header: str | None, expected: object) -> None:
    assert parse_range(header, size=1000) == expected


@pytest.mark.parametrize("header", ["bytes=0-", "bytes=0-0", "bytes=-0"])
def test_no_range_of_empty_content_is_satisfiable(header: str) -> None:
    assert parse_range(header, size=0) == NOTHING


FIRST_AND_LAST = st.tuples(st.integers(0, 120), st.integers(0, 120)).map(sorted)


@given(st.lists(FIRST_AND_LAST, min_size=1, max_size=5), st.integers(0, 100))
def test_several_ranges_select_those_slices(ranges: list[list[int]], size: int) -> None:
    data = bytes(range(size))
    expected = [part for first, last in ranges if (part := data[first : last + 1])]
    found = parse_range("bytes=" + ",".join(f"{first}-{last}" for first, last in ranges), size=size)

    if not expected:
        assert found == NOTHING
    elif len(expected) > 1 and sum(map(len, expected)) > size:
        assert found is WHOLE
    else:
        assert isinstance(found, list)
        assert [data[start:end] for start, end in found] == expected


@given(st.integers(1, 200), st.integers(1, 100))
def test_a_suffix_range_selects_the_end(length: int, size: int) -> None:
    data = bytes(range(size))
    found = parse_range(f"bytes=-{length}", size=size)

    assert isinstance(found, list)
    assert [data[start:end] for start, end in found] == [data[-length:]]


@given(st.text(max_size=40) | st.text("0123456789-, \t=bytes", max_size=40).map("bytes={}".format), st.integers(0, 50))
def test_parsed_ranges_are_within_the_content(header: str, size: int) -> None:
    found = parse_range(header, size=size)

    assert found is WHOLE or found == NOTHING or isinstance(found, list)
    for start, end in found if isinstance(found, list) else ():
        assert 0 <= start < end <= size


@pytest.mark.parametrize(
    ("header", "holds"),
    [
        (None, True),
        ('"abc"', True),
        (' "abc" ', True),
        ('W/"abc"', False),
        ('"abd"', False),
        ("abc", False),
        ("*", False),
        ("", False),
        ('"abc", "abd"', False),
        ("Fri, 20 Nov 2026 10:00:00 GMT", False),
    ],
)
def test_a_range_applies_only_if_if_range_matches_the_etag(header: str | None, *, holds: bool) -> None:
    assert if_range_matches(header, "abc") is holds
