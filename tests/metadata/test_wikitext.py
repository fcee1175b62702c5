"""Parsing of wikitext."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.metadata.wikitext import as_html, bare, introduction, parameter, rows

INFOBOX = """{{stub}}
{{Infobox game
|cover        = Game cover.jpg <!-- the best -->
|developers   =
{{Infobox game/row/developer|[[Company:Valve|Valve]]|the first<ref>{{Refurl|url=a|date=b}}</ref>}}
{{infobox game/row/developer|Other {{nolink}} People|ref=x}}
|taxonomy     =
{{Infobox game/row/taxonomy/art styles      | Realistic, }}
|steam appid  =
|steam appid side = 7
|license      = commercial
}}"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cover", "Game cover.jpg"),
        ("steam appid", ""),
        ("steam appid side", "7"),
        ("license", "commercial"),
        ("no.such", ""),
    ],
)
def test_a_parameter_ends_with_its_line(name: str, expected: str) -> None:
    assert parameter(bare(INFOBOX), name) == expected


def test_rows_are_read_without_links_references_and_named_parameters() -> None:
    assert rows(bare(INFOBOX), "developer") == [["Valve", "the first"], ["Other  People"]]
    assert rows(bare(INFOBOX), "taxonomy/art styles") == [["Realistic,"]]
    assert rows(bare(INFOBOX), "publisher") == []


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{Introduction\n|introduction      = One.\n\nTwo.\n\n|release history   = x\n}}", "One.\n\nTwo."),
        ("{{Introduction\n|introduction = One {{cn}}two<ref name=a />.\n}} after", "One two."),
        ("{{ introduction|introduction=One", "One"),
        ("{{Introduction\n|release history = x\n}}", ""),
        ("no template |introduction = x", ""),
    ],
)
def test_an_introduction_ends_where_the_next_parameter_begins(template: str, expected: str) -> None:
    assert introduction(f"{{{{Infobox game}}}}\n{template}").strip() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'''''Game''''' is ''good''.", "<p>Game is good.</p>"),
        ("one\n\ntwo", "<p>one</p><p>two</p>"),
        ("[[Half-Life 2]]", '<p><a href="/wiki/Half-Life_2">Half-Life 2</a></p>'),
        ("[[Half-Life 2|it]]", '<p><a href="/wiki/Half-Life_2">it</a></p>'),
        ("[[A\"b'c|it]]", '<p><a href="/wiki/A%22b%27c">it</a></p>'),
        ("a[[File:x.png|thumb|left]]b", "<p>ab</p>"),
        ("a[[Category:x]]b", "<p>ab</p>"),
        ('[https://e.example/?a=1&b="2 there]', '<p><a href="https://e.example/?a=1&amp;b=&quot;2">there</a></p>'),
        ("[https://e.example]", ""),
        ("", ""),
    ],
)
def test_text_becomes_html(text: str, expected: str) -> None:
    assert as_html(text) == expected


@given(st.text("{}[]|=<>!-'\n refInfobox game/row", max_size=300))
def test_any_text_is_accepted(text: str) -> None:
    plain_text = bare(text)
    as_html(introduction(text))
    assert rows(plain_text, "developer") == [] or "developer" in plain_text


@pytest.mark.parametrize("begun", ["", "{{Infobox game/row/a", "|", "[http://x", "[[", "{{", "<ref", "|cover"])
@pytest.mark.parametrize(
    "piece", ["{{", "[[", "<ref>", "<!--", "[http://x ", "|introduction=", "\n|a =", "'", " ", "\n"]
)
def test_a_page_with_repeated_openings_is_read_in_linear_time(begun: str, piece: str) -> None:
    """Scanning to the end from each opening would take minutes."""
    text = f"{{{{Infobox game\n{{{{Introduction|introduction={begun}{piece * 100_000}"
    plain_text = bare(text)
    as_html(introduction(text) + plain_text)
    assert (parameter(plain_text, "cover"), rows(plain_text, "a")) == ("", [])
