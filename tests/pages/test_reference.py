"""The API reference: complete, from this server alone, and loaded on its own page alone."""

import pytest
from playwright.sync_api import expect

from pages.browsing import Scheme
from pages.conftest import Visit
from world import World

# A policy violation, an error or a request to another host fails each of these tests: the visitor's browser reports it.


@pytest.mark.parametrize("scheme", list(Scheme))
def test_an_operation_is_shown_and_can_be_called(world: World, visit: Visit, scheme: Scheme) -> None:
    world.person("ada")
    page = visit("ada", scheme=scheme).open("/docs/api")
    operation = page.locator("#operations-accounts-show_own_account")

    page.locator("#operations-tag-accounts").click()
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()

    expect(operation.locator(".live-responses-table")).to_contain_text('"username": "ada"')
    is_dark = page.evaluate("document.documentElement.classList.contains('dark-mode')")
    assert is_dark is (scheme is Scheme.DARK)


def test_the_reference_can_be_read_and_left_without_signing_in(visit: Visit) -> None:
    page = visit().open("/docs/api")
    expect(page.get_by_role("heading", name="Playdock").first).to_be_visible()

    page.get_by_role("link", name="Playdock").first.click()

    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert not page.evaluate("[...document.styleSheets].some(({ href }) => href?.includes('swagger'))")


def test_other_pages_do_not_load_the_viewer(visit: Visit) -> None:
    visitor = visit()
    requested: list[str] = []
    visitor.page.on("request", lambda request: requested.append(request.url))

    page = visitor.open("/auth/signin")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()

    assert requested
    assert [url for url in requested if "swagger" in url] == []
