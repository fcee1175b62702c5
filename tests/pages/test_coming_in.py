"""Coming in by a link: an invitation, or one that sets a new password."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.conftest import Visit
from world import PASSWORD, World

NEW_PASSWORD = "another horse, another battery"


def open_invitation(visit: Visit, invitation: str) -> Page:
    return visit().open(f"/auth/register?id={invitation}")


def fill(page: Page, **fields: str) -> None:
    """Fill fields in by their labels, which are written ``user_name`` for “User name”."""
    for name, text in fields.items():
        page.get_by_label(name.replace("_", " ").capitalize(), exact=True).fill(text)


def register(page: Page) -> None:
    # A key, because the strength of the password appears above the button and moves it under a click.
    page.get_by_role("button", name="Create account").press("Enter")


def posts(page: Page) -> list[str]:
    """The addresses to which a page sends something from now on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    return sent


def look_around(page: Page) -> None:
    page.get_by_role("link", name=re.compile("^Look around")).click()


def test_the_server_greets_people_whose_account_opens_the_store(world: World, visit: Visit) -> None:
    world.admin()
    settings = visit("ada").open("/admin/settings")
    fill(settings, name="The <b>arcade</b>")
    settings.get_by_label("Greeting").fill("You have been invited to our family's games.")
    settings.get_by_role("button", name="Save").first.click()  # the other sections have one, too
    expect(settings.get_by_role("banner")).to_contain_text("The <b>arcade</b>")

    page = open_invitation(visit, world.invitation())
    expect(page.get_by_text("You have been invited to our family's games.")).to_be_visible()
    expect(page.get_by_text("The <b>arcade</b>")).to_be_visible()
    expect(page).to_have_title("Create your account · The <b>arcade</b>")
    fill(page, user_name="bob", password=PASSWORD)
    page.get_by_label("Email address").fill("bob@example.org")
    register(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, bob")
    look_around(page)
    expect(page.get_by_role("button", name="Account: bob")).to_be_visible()
    expect(page).to_have_url(f"{world.address}/")


def test_what_the_invitation_says_is_shown_and_not_asked_for(world: World, visit: Visit) -> None:
    page = open_invitation(visit, world.invitation(username="bob", email="bob@friends.example"))
    expect(page.get_by_text("bob", exact=True)).to_be_visible()
    expect(page.get_by_text("bob@friends.example")).to_be_visible()
    expect(page.get_by_role("textbox")).to_have_count(1)
    fill(page, password=PASSWORD)
    register(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, bob")


def test_an_invitation_can_be_shared_with_an_address_of_the_network(
    world: World, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = world.address.replace("127.0.0.1", "localhost")
    monkeypatch.setattr("playdock.features.invitations.service.network_urls", lambda _: [network])
    world.admin()
    page = visit("ada").open("/admin/invitations?new=1")
    page.get_by_role("button", name="Create link").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Only the server's own machine can open {world.address}")
    expect(dialog.locator("code")).to_contain_text(f"{network}/auth/register?id=")
    dialog.get_by_label("Address in the link").select_option(world.address)
    expect(dialog.locator("code")).to_contain_text(f"{world.address}/auth/register?id=")


def test_a_used_invitation_is_reported_with_instructions(world: World, visit: Visit) -> None:
    invitation = world.invitation()
    world.sign_up(invitation, username="bob")
    page = open_invitation(visit, invitation)
    expect(page.get_by_role("heading", level=1)).to_have_text("This invitation is no longer valid")
    page.get_by_role("link", name="Sign in").click()
    expect(page.get_by_label("User name")).to_be_visible()


def test_a_short_password_is_reported_before_it_is_sent(world: World, visit: Visit) -> None:
    page = open_invitation(visit, world.invitation(username="bob", email="bob@example.org"))
    sent = posts(page)
    fill(page, password="too short")
    expect(page.get_by_role("status").get_by_text("5 more characters needed")).to_be_visible()
    page.get_by_label("Password", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("at least 14 characters")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    assert sent == []


def test_passwords_that_are_easy_to_guess_are_refused_before_they_are_sent(world: World, visit: Visit) -> None:
    bob = world.person("bob")
    link = world.admin().post(f"/api/v1/admin/users/{bob.user['id']}/reset").json()["resetUrl"]
    invitation = world.invitation(username="rob", email="rob@example.org")
    forms = {
        f"/auth/register?id={invitation}": "Password",
        link: "New password",
        "/account/sign-in": "New password",
    }
    for address, label in forms.items():
        page = visit("bob" if "account" in address else None).open(address)
        sent = posts(page)
        field = page.get_by_label(label, exact=True)
        if "account" in address:
            fill(page, current_password=PASSWORD)
        field.fill("passwordpassword")
        field.press("Enter")
        expect(page.get_by_role("alert").get_by_text("This password is easy to guess")).to_be_visible()
        expect(field).to_be_focused()
        assert sent == []


def test_a_taken_user_name_keeps_the_other_fields(world: World, visit: Visit) -> None:
    world.person("bob")
    page = open_invitation(visit, world.invitation(email="rob@example.org"))
    fill(page, user_name="bob", password=PASSWORD)
    register(page)
    expect(page.get_by_role("alert")).to_contain_text("The user name bob is taken")
    fill(page, user_name="rob")
    register(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, rob")


def test_a_reset_link_sets_a_new_password(world: World, visit: Visit) -> None:
    bob = world.person("bob")
    reset = world.admin().post(f"/api/v1/admin/users/{bob.user['id']}/reset").json()["resetUrl"]
    page = visit().open(reset)
    fill(page, new_password=NEW_PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("status").get_by_text("Password changed.")).to_be_visible()
    fill(page, user_name="bob", password=NEW_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Account: bob")).to_be_visible()


def test_an_invalid_reset_link_is_reported(visit: Visit) -> None:
    page = visit().open("/auth/reset?id=00000000-0000-0000-0000-000000000000")
    expect(page.get_by_role("heading", level=1)).to_have_text("This link is no longer valid")


def test_a_used_reset_link_is_reported_before_a_password_is_entered(world: World, visit: Visit) -> None:
    bob = world.person("bob")
    link = world.admin().post(f"/api/v1/admin/users/{bob.user['id']}/reset").json()["resetUrl"]
    used = {"id": link.partition("id=")[2], "password": NEW_PASSWORD}
    assert world.any_user().post("/api/v1/auth/reset/simple", used).is_success
    page = visit().open(link)
    expect(page.get_by_role("link", name="sign in")).to_be_visible()
    expect(page.get_by_label("New password")).to_have_count(0)
