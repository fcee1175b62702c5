"""Conversion of descriptions: text, structure and links are kept, everything else is removed."""

import html
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from playdock.metadata.prose import MAX_CHARACTERS, from_bbcode, from_html, plain, plain_lines

BASE = "https://store.example/app/5/"
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

HTML_PIECES = [
    *("<p>", "</p>", "<br>", "<div>", "</div>", "<h1>", "</h1>", "<ul>", "<ol>", "<li>", "</ul>", "</li>", "<hr>"),
    *("<b>", "</b>", "<i>", "</i>", "<s>", "<code>", "</code>", "<pre>", "</pre>", "<blockquote>", "</blockquote>"),
    *("<table>", "<tr>", "<td>", "<th>", "</td>", "</table>", "<script>", "</script>", "<img src=//evil.example/x>"),
    *("<a href='javascript:alert(1)'>", "<a href='/x'>", "<a href='http://x.example/) [y](z'>", "</a>", "<!--", "-->"),
    *("<iframe src=x>", "<svg onload=x>", "<a href=data:text/html,x>", "<style>", "&lt;b onload=x&gt;", "&amp;lt;"),
    *(
        "[x](javascript:alert(1))",
        "![x](http://evil.example)",
        "<http://x.example>",
        "[x]: javascript:x",
        "!",
        "](",
        "[",
    ),
    *(
        "`",
        "``",
        "\\",
        "|",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "# ",
        "> ",
        "- ",
        "1. ",
        "***",
        "___",
        "~~~",
        "```",
        "---",
        "===",
    ),
    *("a", "word ", "_", "*", "&", "<", ">", '"', "'", "\x00", "\ud800", "\u2028", "\u00a0"),
]
BBCODE_PIECES = [
    *("[b]", "[/b]", "[i]", "[h1]", "[/h1]", "[p]", "[/p]", "[list]", "[*]", "[/list]", "[olist]", "[/olist]", "[hr]"),
    *("[url=javascript:alert(1)]", "[url=/x]", "[url]", "[/url]", "[url=", "[img]", "[/img]", "[quote=a]", "[/quote]"),
    *(
        "[code]",
        "[/code]",
        "[noparse]",
        "[/noparse]",
        "[table]",
        "[tr]",
        "[td]",
        "[/td]",
        "[/table]",
        "[strike]",
        "[",
        "]",
    ),
    *(
        "<script>",
        "<b>",
        "&lt;",
        "`",
        "\n",
        "\\",
        "|",
        "http://x.example",
        "![x](y)",
        "(z)",
        "word ",
        '"',
        "=",
        "#",
        "\r",
    ),
]


def tokens(markdown: str) -> list[Token]:
    """Return the tokens that a Markdown parser finds."""
    blocks = READER.parse(markdown)
    return [*blocks, *(inner for block in blocks for inner in block.children or ())]


def visible_text(markdown: str) -> str:
    """Return the text that a reader sees."""
    inline = [token for token in tokens(markdown) if token.type in ("text", "code_inline", "softbreak", "hardbreak")]
    return "".join(token.content or "\n" for token in inline)


def is_harmless(markdown: str) -> bool:
    found = tokens(markdown)
    links = [str(token.attrs["href"]) for token in found if token.type == "link_open"]
    kinds = {token.type for token in found}
    return all(urlsplit(link).scheme in ("http", "https") and urlsplit(link).hostname for link in links) and not (
        kinds & {"html_block", "html_inline", "image"}
    )


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<h2 class='bb_tag'>About</h2>Text", "## About\n\nText"),
        ("<p>One</p>\n\n\n<p>&nbsp;</p><p>Two</p>", "One\n\nTwo"),
        ("One<br>two<br /><br><br>three", "One  \ntwo\n\nthree"),
        ("<b>Bold</b>, <em>leaning</em>, <s>gone</s>, <u>plain</u>", "**Bold**, *leaning*, ~~gone~~, plain"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("Said<blockquote>x<br><br><br>y</blockquote>by me", "Said\n\n> x\n>\n> y\n\nby me"),
        ("<table><tr><th>A<th>B<tr><td>1|2<td><code>|</code></table>", "| A | B |\n| --- | --- |\n| 1\\|2 | \\| |"),
        ("<pre>\na\n\n  b`</pre>", "`a`  \n`  b'`"),
        ("Tom &amp; Jerry &lt;3 5 > 4", "Tom & Jerry \\<3 5 > 4"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("", ""),
        ("https://x.example/a.txt", "https://x.example/a.txt"),
    ],
)
def test_html_becomes_markdown(source: str, markdown: str) -> None:
    assert from_html(source) == markdown


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("[h1]About[/h1]\nText\nmore\n\n\nend", "# About\n\nText  \nmore\n\nend"),
        ("[p]One[/p][p]Two[/p]", "One\n\nTwo"),
        ("[b]a[/b] [i]b[/i] [u]c[/u] [strike]d[/strike] [spoiler]e[/spoiler]", "**a** *b* c ~~d~~ e"),
        ("[list]\n[*]a\n[list]\n[*]b\n[/list]\n[*][p]c[/p][/*]\n[/list]", "- a\n  - b\n- c"),
        ("[olist]\n[*]a\n[*]b\n[/olist]", "1. a\n2. b"),
        ("[quote=A Paper]Great[/quote]", "> Great  \n> — A Paper"),
        ("[code]a\n[b]b[/code]", "`a`  \n`[b]b`"),
        ("[noparse][b]a[/b][/noparse]", "\\[b\\]a\\[/b\\]"),
        ("[table]\n[tr]\n[th]A[/th]\n[/tr]\n[tr]\n[td]1[/td]\n[/tr]\n[/table]", "| A |\n| --- |\n| 1 |"),
        ("a[hr][/hr]b", "a\n\n---\n\nb"),
        ("a [img]{STEAM_CLAN_IMAGE}/1/x.png[/img] b[img src='{STEAM_CLAN_IMAGE}/x'][/img]", "a b"),
        ("a [previewyoutube=x;full][/previewyoutube] b", "a b"),
        (
            "[url=https://x.example]x[/url] [url]https://y.example[/url]",
            "[x](https://x.example) [https://y.example](https://y.example)",
        ),
        ("[dynamiclink href='https://x.example/5'][/dynamiclink]", "[x.example](https://x.example/5)"),
        ("[unknown] <b>text</b>", "\\[unknown\\] \\<b>text\\</b>"),
    ],
)
def test_bbcode_becomes_markdown(source: str, markdown: str) -> None:
    assert from_bbcode(source) == markdown


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://x.example/?a=1&amp;b=%20", "https://x.example/?a=1&b=%20"),
        ("/news", "https://store.example/news"),
        ("more?x", "https://store.example/app/5/more?x"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("www.x.example", "https://www.x.example"),
        ("http://x.example/a(b) <c>", "http://x.example/a%28b%29%20%3Cc%3E"),
    ],
)
def test_links_are_kept_and_made_absolute(link: str, address: str) -> None:
    assert from_html(f'<a href="{link}">a</a>', base=BASE) == f"[a]({address})"


@pytest.mark.parametrize(
    "link", ["javascript:x", "java\nscript:x", " JAVASCRIPT:x", "data:x", "file:///x", "http://[", "mailto:a@b.c"]
)
def test_unsafe_links_become_text(link: str) -> None:
    assert from_html(f'<a href="{link}" onclick="x()">a</a>', base=BASE) == "a"


def test_a_relative_link_without_a_base_becomes_text() -> None:
    assert from_html('<a href="/news">a</a>') == "a"


def test_a_link_around_an_image_is_labeled_with_its_host() -> None:
    assert from_html('<a href="https://x_y.example/a"><img src="b"></a>') == "[x\\_y.example](https://x_y.example/a)"


@pytest.mark.parametrize("tag", ["script", "style", "iframe", "svg", "noscript", "object", "video"])
def test_non_text_elements_are_removed_with_their_content(tag: str) -> None:
    assert from_html(f"a <{tag}>alert(1)</{tag}>b") == "a b"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "![x](http://x.example)",
            "[x](http://x.example)",
            "<b onload=x>",
            "**x**",
            "_x_",
            "`x`",
            "~~x~~",
            "&lt;",
            "a | b",
        ),
        *(
            "# x",
            "- x",
            "+ x",
            "> x",
            "1. x",
            "12) x",
            "---",
            "===",
            "- - -",
            "```",
            "~~~",
            "\\*x",
            "[x]: y",
            "<http://x.example>",
        ),
    ],
)
def test_text_that_looks_like_markdown_is_escaped(text: str) -> None:
    written = from_html(html.escape(text))

    assert visible_text(written) == text
    assert {token.type for token in tokens(written)} == {
        "paragraph_open",
        "inline",
        "text",
        "paragraph_close",
    } or "_" in text


@pytest.mark.parametrize(
    "source",
    [
        "!<a href='https://evil.example'>x</a>",
        "\\!<b></b><a href='https://evil.example'>x</a>",
        "<table><tr><td><code>a | [x](javascript:x) | b</code></table>",
        "<b><pre>a\n\n[x](javascript:x)</pre></b>",
        "<code>a\n# [x](javascript:x)</code>",
        "<code>a</code><code>` ` [x](javascript:x) ``</code>",
        "<h1><pre>```\n<script>x</script></pre></h1>",
        "<a href='https://x.example'>a<br><br>](javascript:x)</a>",
    ],
)
def test_no_context_turns_text_into_markup(source: str) -> None:
    assert is_harmless(from_html(source))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(HTML_PIECES), max_size=25).map("".join))
def test_the_markdown_of_any_html_is_harmless(source: str) -> None:
    assert is_harmless(from_html(source, base=BASE))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(BBCODE_PIECES), max_size=25).map("".join))
def test_the_markdown_of_any_bbcode_is_harmless(source: str) -> None:
    assert is_harmless(from_bbcode(source, base=BASE))


@settings(max_examples=400, deadline=None)
@given(st.text("ab12 .)(`*_#->+=~|[]!\\<&;:/\"'\t\n", max_size=30))
def test_visible_text_is_unchanged(text: str) -> None:
    assert visible_text(from_html(f"<p>{html.escape(text)}</p>")) == " ".join(text.split())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(HTML_PIECES), max_size=25).map("".join))
def test_blocks_are_separated_by_one_blank_line(source: str) -> None:
    written = from_html(source)

    assert "\n\n\n" not in written
    assert written == written.strip()


@pytest.mark.parametrize("convert", [from_html, from_bbcode, plain])
@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<b><p>",
        "<blockquote>a<br>",
        "<ul><li>",
        "<a href=x><table>",
        "[b]",
        "[url]",
        "[list][*]",
        "[quote=",
        "<",
        "[",
    ],
)
def test_hostile_nesting_is_converted_in_time(convert: Callable[[str], str], piece: str) -> None:
    assert len(convert(piece * 500_000)) <= MAX_CHARACTERS


def test_deeply_nested_input_becomes_plain_text() -> None:
    assert from_html("<blockquote>" * 500 + "<b>a</b>") == "a"


def test_a_long_description_is_cut_at_a_paragraph() -> None:
    written = from_html(f"<p>{'x' * 98}</p>" * 1_500)

    assert len(written) == MAX_CHARACTERS - 2
    assert written.endswith("\n\n" + "x" * 98)


@pytest.mark.parametrize("convert", [from_html, from_bbcode, plain])
def test_characters_that_a_database_rejects_are_removed(convert: Callable[[str], str]) -> None:
    assert convert("a\x00\ud800b\r\nc").replace("  \n", " ") == "ab c"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("<p>Tom &amp; <b>J</b>erry</p><p>ride</p>", "Tom & Jerry ride"),
        ("[h1]Tom[/h1][b]J[/b]erry\n\n[list][*]a[*]b[/list]", "Tom Jerry a b"),
        ("a<br>b<script>c</script> [img]x.png[/img]", "a b"),
        ("I <3 this [game] & *that*", "I <3 this [game] & *that*"),
        ("&#0;&lt;b&gt;", "\ufffd<b>"),
        ("", ""),
    ],
)
def test_a_short_description_is_one_line_of_plain_text(source: str, line: str) -> None:
    assert plain(source) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one two three", "one two three"),
        ("one two, three.", "one two…"),
        ("x" * 20, "x" * 12 + "…"),
        ("one two three four", "one two…"),
    ],
)
def test_a_short_description_is_cut_between_words(text: str, line: str) -> None:
    assert plain(text, max_characters=13) == line


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("one  line", "one line"),
        ("first \n  second\r\n\r\n\r\n\r\nthird\n", "first\nsecond\n\nthird"),
        ("first, second\n\nthird paragraph", "first, second…"),
    ],
)
def test_a_summary_keeps_its_paragraphs(text: str, summary: str) -> None:
    assert plain_lines(text, max_characters=20) == summary


@pytest.mark.parametrize("shorten", [plain, plain_lines])
@settings(deadline=None)
@given(text=st.text(max_size=60), limit=st.integers(1, 30))
def test_a_short_description_is_never_longer_than_requested(shorten: Callable[..., str], text: str, limit: int) -> None:
    assert len(shorten(text, max_characters=limit)) <= limit
