"""Play time, status and note of a game, and the library sorted by them."""

from playwright.sync_api import expect

from games import Release, add_game
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata
from world import World


def test_a_player_sees_play_time_and_keeps_a_status_and_a_note(world: World, visit: Visit) -> None:
    bob = world.person("bob")
    doom, portal = (add_game(world, GameMetadata(name), versions=[Release()]) for name in ("Doom", "Portal"))
    runs = [
        {"id": game, "game": game, "started": f"2026-01-0{day}T12:00:00Z", "seconds": seconds}
        for game, day, seconds in ((doom, 1, 45_000), (portal, 2, 600))
    ]
    assert bob.post("/api/v1/user/play-sessions", {"sessions": runs}).is_success
    for game in (doom, portal):
        assert bob.post("/api/v1/collection/default/entry", {"id": game}).is_success

    visitor = visit("bob")
    page = visitor.open(f"/games/{doom}")
    expect(page.get_by_text("Played for 12.5 hours, last")).to_be_visible()
    page.get_by_label("Status").select_option(label="On hold")
    page.get_by_label("Note").fill("The red key is behind the door.\n")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("Note saved", exact=True)).to_be_visible()
    visitor.settle()
    record = next(each for each in bob.get("/api/v1/user/play-records").json() if each["gameId"] == doom)
    assert (record["status"], record["note"]) == ("paused", "The red key is behind the door.")
    visitor.open(f"/games/{doom}")
    expect(page.get_by_label("Status")).to_have_value("paused")
    expect(page.get_by_label("Note")).to_have_value("The red key is behind the door.")

    visitor.open("/library")
    games = page.get_by_role("list", name="My library").get_by_role("link")
    for label, names in (("Most played", ["Doom", "Portal"]), ("Last played", ["Portal", "Doom"])):
        page.get_by_label("Sort by").select_option(label=label)
        expect(games).to_have_count(2)
        for place, name in enumerate(names):
            expect(games.nth(place)).to_have_accessible_name(name)
