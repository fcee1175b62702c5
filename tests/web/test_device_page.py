"""The page on which somebody lets a device in: strict, and from nowhere but here."""

import re

import httpx2
import pytest

from world import World

_LINKED = re.compile(r'(?:src|href)="([^"]+)"')
_CALLED = re.compile(r'["`](/(?:api|auth)/[^"?]+)')


@pytest.fixture
def page(site: World) -> httpx2.Response:
    return site.anybody().get("/device?user_code=WDJB-MJHT")


def test_the_page_is_served_and_not_kept(page: httpx2.Response) -> None:
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-store"


def test_nothing_but_its_own_files_runs_and_nobody_frames_it(page: httpx2.Response) -> None:
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize("around", ["/device/static", "/device/static/device", "/docs/api", "/docs/api/device"])
def test_there_is_no_other_way_to_the_page(site: World, around: str) -> None:
    found = [site.anybody().get(f"{around}/{name}").status_code for name in ("page.html", "device.html", "index.html")]
    assert found == [404] * 3


def test_nothing_is_written_into_the_page(page: httpx2.Response) -> None:
    assert re.findall(r"<style|<script(?![^>]* src=)| style=| on\w+=", page.text) == []
    assert "WDJB" not in page.text


def test_all_that_the_page_needs_is_here(site: World, page: httpx2.Response) -> None:
    linked = _LINKED.findall(page.text)
    kinds = {site.anybody().get(path).headers["content-type"].partition(";")[0] for path in linked}
    assert len(linked) == 2
    assert kinds == {"text/css", "text/javascript"}


def test_the_page_names_nobody_else_and_calls_what_there_is(site: World, page: httpx2.Response) -> None:
    texts = [page.text, *(site.anybody().get(path).text for path in _LINKED.findall(page.text))]
    called = {path for text in texts for path in _CALLED.findall(text)}
    known = site.anybody().get("/api/openapi.json").json()["paths"]
    assert not any("://" in text for text in texts)
    assert len(called) > 4
    assert called - known.keys() == {"/auth/oidc"}


def test_every_part_that_the_script_names_is_in_the_page(site: World, page: httpx2.Response) -> None:
    script = site.anybody().get("/device/static/page.js").text
    named = set(re.findall(r'(?:at|show|onSubmit)\("([a-z-]+)"', script))
    assert len(named) > 10
    assert named <= set(re.findall(r'id="([a-z-]+)"', page.text))
