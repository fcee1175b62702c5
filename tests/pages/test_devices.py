"""Letting a device in, or keeping it out: the device by the interface, its owner at the browser."""

import pytest
from playwright.sync_api import expect

from devices import ask, device, error_of, poll
from drop_client.client import handshake, initiate, sign_in
from games import Release, add_game
from pages.browsing import PHONE
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata
from world import PASSWORD, World


def test_a_device_is_authorized_with_its_link(world: World, visit: Visit) -> None:
    world.person("bob")
    codes = ask(world, device_name="Bob's laptop")
    page = visit("bob").open(codes["verification_uri_complete"])
    expect(page.get_by_text("Bob's laptop")).to_be_visible()
    expect(page.get_by_text(codes["user_code"])).to_be_visible()
    expect(page.get_by_text("Until you sign it out under Devices, it can act for you")).to_be_visible()
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your device is signed in")
    token = poll(world, codes).json()["access_token"]
    assert world.with_token(token).get("/api/v1/user").json()["username"] == "bob"


def test_a_drop_client_is_authorized_in_the_browser(world: World, visit: Visit) -> None:
    world.person("bob")
    visitor = visit("bob")
    visitor.elsewhere = (*visitor.elsewhere, "drop://")
    page = visitor.open(initiate(world).text)
    expect(page.get_by_text("myhost (Desktop)")).to_be_visible()
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your device is signed in")
    pair = page.locator("code").inner_text()
    assert handshake(world, pair).status_code == 200


def test_the_web_view_of_a_drop_client_shows_the_store(world: World, visit: Visit) -> None:
    client = sign_in(world, world.person("bob"))
    game = add_game(world, GameMetadata("Doom"), versions=[Release()])
    token = client.call("POST", "/api/v1/client/user/webtoken").text
    visitor = visit()
    visitor.context.set_extra_http_headers({"Authorization": f"Bearer {token}"})
    files: list[str] = []
    visitor.page.on("request", lambda request: files.append(request.url.removeprefix(world.address)))
    page = visitor.open("/store?noWrapper=true")
    expect(page.get_by_role("link", name="Doom")).to_be_visible()
    expect(page.get_by_role("navigation")).to_have_count(0)
    page.get_by_role("link", name="Doom").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Doom")
    visitor.settle()
    # The client opens everything else in the browser.
    assert [file for file in files if not file.startswith(("/store", "/api", "/_", "/fonts"))] == []
    assert page.url.endswith(f"/games/{game}")


def test_the_code_of_a_drop_client_is_entered_like_others(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/device")
    page.get_by_label("Code").fill(initiate(world, mode="code").text.lower())
    page.get_by_label("Code").press("Enter")
    expect(page.get_by_text("myhost (Desktop)")).to_be_visible()


@pytest.mark.parametrize("dash", ["-", ""])
def test_a_code_can_be_entered_in_lower_case_and_without_a_dash(world: World, visit: Visit, dash: str) -> None:
    world.person("bob")
    codes = ask(world)
    page = visit("bob").open("/device")
    page.get_by_label("Code").fill(codes["user_code"].lower().replace("-", dash))
    page.get_by_label("Code").press("Enter")
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your device is signed in")
    assert poll(world, codes).status_code == 200


def test_a_denied_device_is_not_signed_in(world: World, visit: Visit) -> None:
    world.person("bob")
    codes = ask(world)
    page = visit("bob").open(codes["verification_uri_complete"])
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Device denied")
    assert error_of(poll(world, codes)) == (400, "access_denied")


def test_an_unknown_code_is_reported_at_its_field(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/device?user_code=BBBB-BBBB")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Code")).to_have_value("BBBB-BBBB")
    expect(page.get_by_role("button", name="Authorize")).to_have_count(0)


def test_the_code_is_kept_while_the_user_signs_in(world: World, visit: Visit) -> None:
    world.person("bob")
    codes = ask(world, device_name="Bob's laptop")
    page = visit().open(codes["verification_uri_complete"])
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Bob's laptop")).to_be_visible()
    assert error_of(poll(world, codes)) == (400, "authorization_pending")


def test_a_phone_sends_a_game_to_a_computer_and_sees_it_installed(world: World, visit: Visit) -> None:
    admin = world.admin()
    world.put("Portal/1.0/portal")
    game = world.import_game(admin, world.library(admin), "Portal")
    assert world.import_version(admin, game, "1.0", launch="portal")["success"]
    (version,) = (each["id"] for each in admin.get(f"/api/v1/games/{game}/versions").json())
    laptop = device(world, admin)

    page = visit("ada", screen=PHONE).open(f"/games/{game}")
    buttons = page.get_by_role("main").get_by_role("button")
    expect(buttons.first).to_have_text("Send to my PC")
    buttons.first.click()
    page.get_by_role("button", name="Send to Ada's laptop").click()
    expect(page.get_by_text("Portal will be installed on Ada's laptop", exact=True)).to_be_visible()
    assert [each["gameId"] for each in laptop.get("/api/v1/client/queue").json()] == [game]

    # What the client does.
    assert laptop.delete(f"/api/v1/client/queue/{game}").is_success
    report = {"installations": [{"game": game, "version": version}]}
    assert laptop.request("PUT", "/api/v1/client/installations", json=report).is_success
    page.reload()
    expect(page.get_by_role("list", name="Installed on")).to_contain_text("Ada's laptop")
    page.get_by_role("button", name="Add to my library").click()
    page.goto("/library")
    expect(page.get_by_role("list", name="Your devices")).to_contain_text("1 game installed")
    page.get_by_role("list", name="Your devices").get_by_role("link").click()
    expect(page.get_by_role("list", name="Installed games")).to_contain_text("Portal 1.0")


def test_the_app_is_offered_only_to_those_who_can_have_it(world: World, visit: Visit) -> None:
    admin = world.admin()
    game = add_game(world, GameMetadata("Portal"), versions=[Release()])
    page = visit("ada").open(f"/games/{game}")
    expect(page.get_by_role("main").get_by_role("link", name="Download").first).to_be_visible()
    expect(page.get_by_role("button", name="Install with the app")).to_have_count(0)
    device(world, admin)
    page.reload()
    expect(page.get_by_role("button", name="Install with the app")).to_be_visible()
