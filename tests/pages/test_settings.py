"""What people set with clicks: the mail server, and how they are notified."""

from playwright.sync_api import expect

from mail_server import mail_server
from mailing import DELIVERY, PATH, link_in
from pages.conftest import Visit
from waiting import wait_until
from world import World


def test_a_mail_server_is_set_up_and_tested_and_notifications_are_chosen(world: World, visit: Visit) -> None:
    ada = world.admin()
    page = visit("ada").open("/admin/settings")
    page.get_by_role("link", name="Email", exact=True).click()
    with mail_server() as mail:
        page.get_by_label("Mail server", exact=True).fill("127.0.0.1")
        page.get_by_label("Port", exact=True).fill(str(mail.port))
        page.get_by_label("Encryption").select_option("None")
        page.get_by_label("Sender", exact=True).fill("games@example.org")
        page.get_by_role("button", name="Send a test message").click()
        expect(page.get_by_text("A test message is on its way to you", exact=True)).to_be_visible()
        assert [str(each["To"]) for each in mail.accepted] == ["ada@example.org"]
        section = page.locator("section").filter(has=page.get_by_label("Mail server", exact=True))
        section.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Settings saved", exact=True)).to_be_visible()
        assert world.services.settings.smtp_tls == "none"

        page.goto(f"{world.address}/account/notifications")
        page.get_by_role("button", name="Send a message to ada@example.org").click()
        wait_until(lambda: len(mail.accepted) == 2)
        page.goto(f"{world.address}/auth/email?token={link_in(mail.accepted[-1], '/auth/email')}")
        page.get_by_role("button", name="Confirm").click()
        expect(page.get_by_text("Your address is confirmed", exact=True)).to_be_visible()

    page.goto(f"{world.address}/account/notifications")
    shown = page.locator("section").filter(has=page.get_by_role("heading", name="In the app"))
    shown.get_by_label("New folders").uncheck()
    by_email = page.locator("section").filter(has=page.get_by_role("heading", name="By email"))
    by_email.get_by_label("New folders").check()
    page.get_by_label("Quiet hours").check()
    page.get_by_label("From", exact=True).fill("23:00")
    page.get_by_label("One message a day").check()
    page.get_by_label("Time", exact=True).fill("17:30")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Notification settings saved", exact=True)).to_be_visible()

    wait_until(lambda: ada.get(DELIVERY).json()["digestAt"] == "17:30")
    chosen = ada.get(DELIVERY).json()
    assert (chosen["email"], chosen["quietFrom"], chosen["quietUntil"]) == (["folders.found"], "23:00", "07:00")
    assert chosen["emailAddress"]["isVerified"]
    assert ada.get(f"{PATH}/preferences").json()["muted"] == ["folders.found"]


def test_the_first_invalid_field_is_focused_and_nothing_is_saved(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/admin/settings/limits")
    fields = page.get_by_role("textbox")
    invalid = next(each for each in fields.all() if (each.input_value() or "0").isdecimal())
    before = world.services.settings.requests_per_minute
    invalid.fill("many")
    page.get_by_role("button", name="Save").click()
    expect(invalid).to_have_attribute("aria-invalid", "true")
    expect(invalid).to_be_focused()
    assert world.services.settings.requests_per_minute == before


def test_the_metadata_providers_are_chosen_with_checkboxes(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/admin/settings/metadata")
    group = page.get_by_role("group", name="Providers in use")
    expect(group.get_by_role("checkbox")).to_have_count(5)
    for name in ("Steam", "IGDB"):
        group.get_by_label(name, exact=True).set_checked(name == "Steam")
    section = page.locator("section").filter(has=group)
    section.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Settings saved", exact=True)).to_be_visible()
    expect(group.get_by_label("IGDB", exact=True)).not_to_be_checked()
    assert "igdb" not in world.services.settings.named_providers
    assert "steam" in world.services.settings.named_providers


def test_what_was_typed_in_the_first_tab_is_kept_and_bytes_are_shown_in_units(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/admin/settings")
    page.get_by_label("Name", exact=True).fill("Games of Ada")
    tabs = page.get_by_role("navigation", name="Settings")
    tabs.get_by_role("link", name="Game folders", exact=True).click()
    page.get_by_label("Space for unfinished uploads").fill("2000000000")
    expect(page.get_by_text("= 2 GB", exact=True)).to_be_visible()
    tabs.get_by_role("link", name="Limits", exact=True).click()
    page.get_by_label("Rate of all downloads").fill("2500000")
    expect(page.get_by_text("= 2.5 MB/s", exact=True)).to_be_visible()
    tabs.get_by_role("link", name="Name and logo").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Games of Ada")


def test_a_search_without_a_result_leads_to_the_wish_list(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/store?q=Half-Life")
    page.get_by_role("link", name="Request this game").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("searchbox")).to_have_value("Half-Life")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(f"{world.address}/requests")


def test_the_rules_of_a_game_folder_are_among_the_settings(world: World, visit: Visit) -> None:
    admin = world.admin()
    world.library(admin)
    page = visit("ada").open("/admin/settings/libraries")
    rules = page.locator("section").filter(has=page.get_by_role("heading", name="Automatic import", exact=True))
    expect(rules).to_contain_text("Asks an administrator about each new folder")
    rules.get_by_role("button", name="Edit").click()
    page.get_by_role("dialog").get_by_label("Import recognized games").check()
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(rules).to_contain_text("Import recognized games")
    assert admin.get("/api/v1/admin/library/sources").json()[0]["rules"]["importGames"]
