"""Coming in by user name and password."""

import re

from playwright.sync_api import expect
from sqlalchemy import delete

from pages.conftest import Visit
from playdock.models import UserSession
from world import PASSWORD, World


def test_a_protected_page_is_shown_after_signing_in(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit().open("/store?sort=newest")
    # Keyboards of phones add a space behind a word.
    page.get_by_label("User name").fill("bob ")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Account: bob")).to_be_visible()
    expect(page).to_have_url(f"{world.address}/store?sort=newest")


def test_a_wrong_password_is_reported_and_the_user_name_is_kept(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit().open("/auth/signin")
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password", exact=True).fill("not the password")
    page.get_by_label("Password", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Incorrect user name or password")
    expect(page.get_by_label("User name")).to_have_value("bob")


def test_signing_out_requires_a_new_sign_in(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/")
    page.get_by_role("button", name="Account: bob").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("User name")).to_be_visible()
    page.goto("/library")
    expect(page).to_have_url(re.compile(r"/auth/signin\?redirect=/library"))


def test_signing_in_never_redirects_to_another_host(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit().open("/auth/signin?redirect=//evil.example/")
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{world.address}/")


def test_a_session_that_ended_elsewhere_is_said_to_have_ended(world: World, visit: Visit) -> None:
    world.person("bob")
    visitor = visit("bob")
    page = visitor.open("/library")
    with world.services.db.write() as session:
        session.execute(delete(UserSession))
    page.get_by_role("navigation").first.get_by_role("link", name="Collections").click()
    expect(page.get_by_label("User name")).to_be_visible()
    expect(page.get_by_text("You have been signed out.", exact=True)).to_be_visible()
    visitor.complaints.clear()
