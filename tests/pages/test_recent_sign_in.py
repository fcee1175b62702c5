"""What gives lasting access asks for the password, and is then done without another click."""

from playwright.sync_api import Page, expect

from pages.conftest import Visit
from world import PASSWORD, World


def _begin_token(world: World, visit: Visit) -> Page:
    """Sign in, wait for longer than a sign-in is recent, and send the form of a token."""
    world.person("bob")
    visitor = visit("bob")
    world.clock.advance(minutes=11)
    page = visitor.open("/account/tokens?new")
    page.get_by_label("Name").fill("backup script")
    page.get_by_text("Store and downloads").click()
    page.get_by_label("Browse the store.").check()
    page.get_by_role("button", name="Create token").click()
    return page


def test_a_token_is_created_after_the_password_was_confirmed(world: World, visit: Visit) -> None:
    page = _begin_token(world, visit)
    dialog = page.get_by_role("dialog", name="Confirm it is you")
    dialog.get_by_label("Password", exact=True).fill("a wrong password")
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.get_by_text("The current password is incorrect.")).to_be_visible()

    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_label("Password", exact=True).press("Enter")

    expect(page.get_by_text("“backup script” is ready.")).to_be_visible()
    expect(dialog).to_have_count(0)


def test_without_a_confirmation_the_form_is_kept(world: World, visit: Visit) -> None:
    page = _begin_token(world, visit)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Create token")).to_be_enabled()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_label("Name")).to_have_value("backup script")
