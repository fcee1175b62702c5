"""Lists of more rows than a page of the service: the rest is loaded when one goes there, and searching finds all."""

import re
import time
from datetime import timedelta

from playwright.sync_api import Page, Route, expect

from games import add_game
from pages.conftest import Visit
from playdock.domain.tags import queries as tag_queries
from playdock.features.accounts.queries import NewUser, add_user
from playdock.kit.clock import timestamp
from playdock.kit.identifiers import new_id
from playdock.metadata.game_metadata import GameMetadata, TagFact, TagKind
from world import World

_MANY = 120


def to_the_end(page: Page, last: str) -> None:
    """Press End in a table once, which loads what follows."""
    page.get_by_role("row").nth(1).focus()
    page.keyboard.press("End")
    expect(page.get_by_role("row").filter(has_text=last)).to_be_focused()


def test_all_of_many_users_are_reached(world: World, visit: Visit) -> None:
    world.admin()
    with world.services.db.write() as session:
        for number in range(_MANY):
            name = f"player{number:03}"
            new = NewUser(new_id(), name, f"Nr. {number}", f"{name}@example.org", new_id(), admin=False)
            assert add_user(session, new, at=world.clock())
    page = visit("ada").open("/admin/users")
    expect(page.get_by_role("status").filter(has_text="The first 100 users")).to_be_attached()

    to_the_end(page, "player119")
    expect(page.get_by_role("status").filter(has_text="121 users")).to_be_attached()

    page.get_by_label("Search users").fill("nr 118")
    expect(page.get_by_role("row").filter(has_text="player118")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="1 user")).to_be_attached()

    page.keyboard.press("Control+k")
    for typed in ("player117@exam", "nr 117"):
        page.get_by_role("dialog").get_by_role("combobox").fill(typed)
        expect(page.get_by_role("option").filter(has_text="player117")).to_be_visible()


def test_all_of_many_tags_are_reached(world: World, visit: Visit) -> None:
    world.admin()
    with world.services.db.write() as session:
        for number in range(_MANY):
            tag_queries.add(session, TagFact(TagKind.THEME, f"Theme {number:03}"), at=world.clock())
    page = visit("ada").open("/admin/tags")
    expect(page.get_by_text("120 tags")).to_be_visible()
    to_the_end(page, "Theme 119")

    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Merge Theme 119")
    field = dialog.get_by_role("searchbox").or_(dialog.get_by_role("textbox")).first
    expect(field).to_be_focused()
    page.keyboard.type("118 theme")
    expect(field).to_have_value("118 theme")
    expect(dialog.get_by_role("radio", name="Theme 118")).to_be_visible()


def test_all_of_many_invitations_are_reached(world: World, visit: Visit) -> None:
    admin = world.admin()
    for number in range(_MANY):
        expires = timestamp(world.clock() + timedelta(days=number + 1))
        invited = {"expires": expires, "username": f"guest{_MANY - number:03}"}
        assert admin.post("/api/v1/admin/auth/invitation", invited).status_code == 201
    page = visit("ada").open("/admin/invitations")
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    to_the_end(page, f"guest{_MANY}")


def test_a_tag_that_is_typed_faster_than_the_service_answers_is_the_one_that_is_added(
    world: World, visit: Visit
) -> None:
    world.admin()
    game = add_game(world, GameMetadata("Doom"))
    with world.services.db.write() as session:
        for name in ("Action", "Racing"):
            tag_queries.add(session, TagFact(TagKind.GENRE, name), at=world.clock())
    page = visit("ada").open(f"/admin/games/{game}")
    field = page.get_by_role("combobox", name="Tags")
    field.click()
    expect(page.get_by_role("option", name="Action")).to_be_visible()

    def answer_late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route("**/api/v1/admin/tags?*", answer_late)
    page.keyboard.type("racing")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove Racing")).to_be_visible()
    expect(page.get_by_role("button", name="Remove Action")).not_to_be_visible()


def test_a_new_tag_is_among_many_that_match_what_was_typed(world: World, visit: Visit) -> None:
    world.admin()
    game = add_game(world, GameMetadata("Doom"))
    with world.services.db.write() as session:
        for number in range(_MANY):
            tag_queries.add(session, TagFact(TagKind.THEME, f"Theme {number:03}"), at=world.clock())
    page = visit("ada").open(f"/admin/games/{game}")
    page.get_by_role("combobox", name="Tags").fill("theme")
    expect(page.get_by_text("Type to find more.")).to_be_visible()
    page.get_by_role("option", name=re.compile("^theme new genre$", re.IGNORECASE)).click()
    expect(page.get_by_role("button", name="Remove theme")).to_be_visible()
