"""Origins of URLs, as the HTTP client parses them."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.fetching.requests import origin_of


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("http://example.org", "http://example.org:80"),
        ("https://example.org/path?query#part", "https://example.org:443"),
        ("HTTPS://Example.ORG:443", "https://example.org:443"),
        ("http://example.org:", "http://example.org:80"),
        ("http://example.org:443", "http://example.org:443"),
        ("http://example.org:08080", "http://example.org:8080"),
        ("https://spiele-für-alle.example", "https://xn--spiele-fr-alle-nsb.example:443"),
        ("https://xn--spiele-fr-alle-nsb.example", "https://xn--spiele-fr-alle-nsb.example:443"),
        ("https://SPIELE-FÜR-ALLE.example", "https://xn--spiele-fr-alle-nsb.example:443"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[FE80::1]", "http://[fe80::1]:80"),
        ("http://example.org/@example.net", "http://example.org:80"),
        ("http://example.org#@example.net", "http://example.org:80"),
        ("http://example.org?@example.net", "http://example.org:80"),
    ],
)
def test_an_origin_has_one_form(address: str, origin: str) -> None:
    assert origin_of(address) == origin


@pytest.mark.parametrize(
    "address",
    [
        "",
        "example.org",
        "//example.org",
        "/path",
        "http:",
        "http:example.org",
        "http://",
        "http:///path",
        "http://:80",
        "ftp://example.org",
        "file:///etc/hostname",
        "javascript:alert(1)",
        "data:text/plain,x",
        "http://user@example.org",
        "http://user:word@example.org",
        "http://example.org\\@example.net",
        " http://example.org",
        "http://example.org\n",
        "http://exam\tple.org",
        "http://example.org\0",
        "http://[::1",
        "http://[::g]",
        "http://example.org:0",
        "http://example.org:65536",
        "http://example.org:-1",
        "http://example.org:http",
        "http://\ud800",
        "http://example.org/" + "x" * 70_000,
    ],
)
def test_anything_but_a_web_url_has_no_origin(address: str) -> None:
    assert origin_of(address) == ""


@pytest.mark.parametrize("host", ["999.1.1.1", "\uff11\uff12\uff17.0.0.1", "xn--\ufffd"])
def test_an_invalid_host_has_no_origin(host: str) -> None:
    assert origin_of(f"http://{host}") == ""


_url_like = st.lists(
    st.sampled_from(["http", "https", ":", "//", "/", "@", "[", "]", "%", "\\", "#", "?", "xn--", "ü", "1", "a", "."])
    | st.characters(),
    max_size=12,
).map("".join)


@given(st.text() | _url_like | _url_like.map("http://{}".format))
def test_any_text_is_accepted(address: str) -> None:
    origin = origin_of(address)

    if origin:
        assert origin_of(origin) == origin
        assert httpx2.URL(address).copy_with(raw_path=b"/", fragment=None) == httpx2.URL(origin + "/")
