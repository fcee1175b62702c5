"""Detection of requests from foreign pages."""

import pytest

from playdock.server.origins import (
    is_followed_link,
    is_foreign,
    is_foreign_navigation,
    is_foreign_page,
    visited_origin,
)

OWN = "https://games.example.org"
HOST = {"host": "127.0.0.1:3000"}


@pytest.mark.parametrize(
    ("headers", "foreign"),
    [
        ({}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "cross-site", "origin": OWN}, True),
        ({"sec-fetch-site": "same-origin", "origin": "https://evil.example"}, False),
        ({"origin": OWN}, False),
        ({"origin": "http://127.0.0.1:3000"}, False),
        ({"origin": "https://evil.example"}, True),
        ({"origin": OWN + ".evil.example"}, True),
        ({"origin": "http://games.example.org"}, True),
        ({"origin": "http://127.0.0.1"}, True),
        ({"origin": "null"}, True),
        ({"origin": ""}, True),
        ({"origin": "http://["}, True),
        ({"origin": "http://games.example.org", "host": "games.example.org"}, True),
        ({"origin": OWN, "host": "games.example.org"}, False),
    ],
)
def test_the_headers_of_a_browser_identify_foreign_pages(headers: dict[str, str], *, foreign: bool) -> None:
    assert is_foreign("POST", {**HOST, **headers}, own=OWN) is foreign
    assert is_foreign_page({**HOST, **headers}, own=OWN) is foreign


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_safe_methods_are_allowed_from_any_site(method: str) -> None:
    assert not is_foreign(method, {"sec-fetch-site": "cross-site"}, own=OWN)


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_unsafe_methods_are_not_allowed_from_other_sites(method: str) -> None:
    assert is_foreign(method, {"sec-fetch-site": "cross-site"}, own=OWN)


@pytest.mark.parametrize(
    ("headers", "foreign"),
    [
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "cross-site", "referer": "https://games.example.org/"}, True),
        ({"sec-fetch-site": "same-site"}, True),
        ({"referer": "https://games.example.org/account"}, False),
        ({"referer": "http://nas:3000/account", "host": "nas:3000"}, False),
        ({"referer": "https://evil.example/", "host": "games.example.org"}, True),
        ({"referer": "https://games.example.org.evil.example/"}, True),
        ({"referer": "http://games.example.org/", "host": "games.example.org"}, True),
        ({"referer": "http://[", "host": "games.example.org"}, True),
        ({"host": "games.example.org"}, True),
        ({}, True),
    ],
)
def test_links_from_other_sites_are_detected(headers: dict[str, str], *, foreign: bool) -> None:
    assert is_foreign_navigation(headers, own=OWN) is foreign


@pytest.mark.parametrize(
    ("headers", "followed"),
    [
        ({}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "cross-site", "referer": "https://games.example.org/"}, True),
        ({"referer": "https://games.example.org/auth/signin"}, False),
        ({"referer": "http://nas:3000/auth/signin", "host": "nas:3000"}, False),
        ({"referer": "https://evil.example/"}, True),
        ({"referer": "http://["}, True),
    ],
)
def test_a_link_of_another_site_is_recognized(headers: dict[str, str], *, followed: bool) -> None:
    assert is_followed_link({**HOST, **headers}, own=OWN) is followed


NAS = "http://nas:3000"


@pytest.mark.parametrize(
    ("headers", "origin"),
    [
        ({"host": "nas:3000", "origin": NAS}, NAS),
        ({"host": "nas:3000", "referer": f"{NAS}/admin/invitations?new=1"}, NAS),
        ({"host": "nas:3000", "origin": NAS, "sec-fetch-site": "same-origin"}, NAS),
        ({"host": "games.example.org", "origin": OWN}, OWN),
        ({"host": "[fd00::1]:3000", "origin": "http://[fd00::1]:3000"}, "http://[fd00::1]:3000"),
        ({"host": "nas:3000"}, None),
        ({"host": "nas:3000", "sec-fetch-site": "same-origin"}, None),
        ({"host": "evil.example", "origin": NAS}, None),
        ({"host": "evil.example", "referer": f"{NAS}/"}, None),
        ({"host": "nas:3000", "origin": "http://nas:8080", "referer": f"{NAS}/"}, None),
        ({"host": "nas:3000", "origin": NAS, "sec-fetch-site": "same-site"}, None),
        ({"host": "nas:3000", "origin": NAS, "sec-fetch-site": "cross-site"}, None),
        ({"host": "ada@nas:3000", "origin": "http://ada@nas:3000"}, None),
        ({"host": "nas:3000", "origin": "null"}, None),
        ({"host": "", "origin": "http://"}, None),
        ({"host": "nas", "origin": "ftp://nas"}, None),
        ({"host": "a b", "origin": "http://a b"}, None),
        ({"host": "nas", "origin": "http://["}, None),
        ({}, None),
    ],
)
def test_a_host_counts_only_if_a_page_of_it_sent_the_request(headers: dict[str, str], origin: str | None) -> None:
    assert visited_origin(headers) == origin
