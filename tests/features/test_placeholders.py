"""Tints over HTTP: pictures come with them, and older pictures get theirs by themselves."""

from typing import Any

from sqlalchemy import update

from drawing import png
from games import add_game
from playdock.metadata.game_metadata import GameMetadata, Role
from playdock.models import Picture
from world import Caller, World

DRAWN, PLACEHOLDER = (120, 40, 200), "#7828c8"


def shown(admin: Caller, game: str) -> list[dict[str, Any]]:
    pictures: list[dict[str, Any]] = admin.get(f"/api/v1/admin/game/{game}").json()["pictures"]
    return pictures


def is_near(colour: str, wanted: str = PLACEHOLDER) -> bool:
    """Return whether two colours are the same but for what WebP loses."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(wanted[1:]), strict=True)
    return all(abs(one - other) <= 8 for one, other in pairs)


def clear_placeholders(world: World) -> None:
    with world.services.db.write() as session:
        session.execute(update(Picture).values(placeholder=None, colour=None))


def compute_placeholders(world: World, admin: Caller) -> dict[str, Any]:
    started = admin.post("/api/v1/admin/task", {"taskGroup": "tint:pictures"})
    assert started.status_code == 202, started.text
    return world.finish(admin, started.json()["id"])


def test_an_uploaded_image_has_a_placeholder(world: World) -> None:
    admin, game = world.admin(), add_game(world, GameMetadata("Doom"))

    added = admin.request(
        "POST", "/api/v1/admin/game/image", data={"id": game}, files=[("a", ("a.png", png(color=DRAWN), "image/png"))]
    ).json()[0]

    assert (is_near(added["colour"]), bool(added["placeholder"])) == (True, True)
    assert shown(admin, game)[0].items() >= added.items()


def test_cards_and_game_pages_include_placeholders(world: World) -> None:
    player = world.person()
    game = add_game(world, GameMetadata("Doom"), pictures=[Role.COVER, Role.CAROUSEL])

    card = player.get("/api/v1/store").json()["games"][0]
    page = player.get(f"/api/v1/games/{game}").json()

    pictures = [card["cover"], page["cover"], *page["carousel"]]
    assert [is_near(each["colour"]) and bool(each["placeholder"]) for each in pictures] == [True] * 3


def test_placeholders_of_existing_images_are_computed_by_a_task(world: World) -> None:
    admin, game = world.admin(), add_game(world, GameMetadata("Doom"), pictures=[Role.CAROUSEL] * 3)
    before = shown(admin, game)
    clear_placeholders(world)
    assert {(each["colour"], each["placeholder"]) for each in shown(admin, game)} == {(None, None)}

    assert compute_placeholders(world, admin)["success"]

    assert shown(admin, game) == before


def test_placeholders_of_many_images_are_computed_despite_a_lost_one(world: World) -> None:
    admin, game = world.admin(), add_game(world, GameMetadata("Doom"), pictures=[Role.CAROUSEL] * 55)
    lost = shown(admin, game)[20]
    clear_placeholders(world)
    world.services.blobs.delete(f"objects/{lost['renditions'][0]['objectId']}")

    task = compute_placeholders(world, admin)

    assert "54 images" in task["log"][-1]
    assert [each["id"] for each in shown(admin, game) if each["colour"] is None] == [lost["id"]]
