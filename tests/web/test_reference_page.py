"""The page to look through the interface: complete, and from nowhere but here."""

import re

import httpx2
import pytest

from world import World

_LINKED = re.compile(r'(?:src|href)="([^"]+)"')


@pytest.fixture
def page(site: World) -> httpx2.Response:
    return site.anybody().get("/docs/api")


def test_the_page_is_served(page: httpx2.Response) -> None:
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")


def test_all_that_the_page_needs_is_here(site: World, page: httpx2.Response) -> None:
    linked = _LINKED.findall(page.text)
    assert len(linked) >= 4
    assert [path for path in linked if site.anybody().get(path).status_code != 200] == []


def test_the_page_names_nobody_else(site: World, page: httpx2.Response) -> None:
    script = site.anybody().get("/docs/api/reference.js")
    assert "//" not in re.sub("<!.*?>", "", page.text + script.text)


def test_the_page_stands_in_no_page_of_others_and_runs_only_what_is_here(page: httpx2.Response) -> None:
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["script-src"], policy["connect-src"]) == ("'none'", "'self'", "'self'")
    assert (policy["frame-ancestors"], page.headers["x-frame-options"]) == ("'none'", "DENY")


def test_the_page_shows_the_document_that_is_served(site: World) -> None:
    script = site.anybody().get("/docs/api/reference.js").text
    assert 'url: "/api/openapi.json"' in script
    assert "validatorUrl: null" in script
