"""Pictures of games: uploaded, used, refused with the file's name, and deleted."""

from typing import Any

import httpx2
import pytest

from drawing import png
from games import add_game
from playdock.metadata.game_metadata import GameMetadata, Role
from providers.pictures import bomb
from world import Caller, World

IMAGES = "/api/v1/admin/game/image"
NOWHERE = "00000000-0000-4000-8000-000000000000"
SVG = b"<svg/>"
MIB = 1024 * 1024

File = tuple[str, bytes]


def send(caller: Caller, game: str, *files: File, **fields: str) -> httpx2.Response:
    """Send files as Drop's client does, which names each field after its file."""
    parts = [(name, (name, data, "image/png")) for name, data in files]
    return caller.request("POST", IMAGES, data={"id": game, **fields}, files=parts)


def shown(admin: Caller, game: str) -> dict[str, Any]:
    details: dict[str, Any] = admin.get(f"/api/v1/admin/game/{game}").json()
    return details


def stored(world: World) -> int:
    return len(list(world.services.blobs.keys("objects", before=world.clock())))


def doom(world: World, *roles: Role) -> tuple[Caller, str]:
    return world.admin(), add_game(world, GameMetadata("Doom"), pictures=roles)


def test_uploaded_images_belong_to_the_game_and_are_unused(world: World) -> None:
    admin, game = doom(world)

    added = send(admin, game, ("one.png", png()), ("two.png", png(1000, 600)))

    assert added.status_code == 201
    found = shown(admin, game)
    assert [each["id"] for each in added.json()] == found["mImageLibraryObjectIds"]
    assert [(each["source"], each["uses"]) for each in found["pictures"]] == [("Manual", []), ("Manual", [])]
    assert "cover" not in found["sources"]


def test_an_image_can_be_fetched_in_every_rendition(world: World) -> None:
    admin, game = doom(world)
    renditions = send(admin, game, ("one.png", png(1000, 600))).json()[0]["renditions"]

    assert [(each["size"], each["width"]) for each in renditions[::2]] == [
        ("grid", 480),
        ("page", 960),
        ("banner", 1000),
    ]
    for each in renditions:
        fetched = world.person(f"bob{each['objectId'][:4]}").get(f"/api/v1/object/{each['objectId']}")
        assert (fetched.status_code, fetched.headers["content-type"]) == (200, each["mediaType"])


def test_an_image_uploaded_as_the_cover_is_used_and_manual(world: World) -> None:
    admin, game = doom(world, Role.COVER, Role.BANNER)
    before = shown(admin, game)

    added = send(admin, game, ("new.png", png()), use="cover").json()[0]["id"]

    after = shown(admin, game)
    assert (after["cover"], after["sources"]["cover"]) == (added, "Manual")
    assert (after["banner"], after["sources"]["banner"]) == (before["banner"], "Steam")
    assert before["cover"] in after["mImageLibraryObjectIds"]


def test_uploaded_carousel_images_are_appended(world: World) -> None:
    admin, game = doom(world, Role.CAROUSEL)
    before = shown(admin, game)["carousel"]

    added = [each["id"] for each in send(admin, game, ("a.png", png()), ("b.png", png()), use="carousel").json()]

    after = shown(admin, game)
    assert (after["carousel"][:1], set(after["carousel"][1:])) == (before, set(added))
    assert after["sources"]["carousel"] == "Manual"


def test_several_images_cannot_be_the_cover(world: World) -> None:
    admin, game = doom(world)
    refused = send(admin, game, ("a.png", png()), ("b.png", png()), use="cover")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "files")
    assert "Only one image can be the cover." in refused.json()["detail"]


def test_rejected_images_are_named_with_the_reason_and_nothing_is_stored(world: World) -> None:
    admin, game = doom(world)
    before = stored(world)

    bombed = bomb().body
    assert isinstance(bombed, bytes)
    bad = [("logo.svg", SVG), ("bomb.png", bombed)]
    refused = send(admin, game, ("good.png", png()), *bad, ("again.png", png()))

    assert refused.status_code == 400
    errors = refused.json()["errors"]
    assert [(error["field"], error["detail"]) for error in errors] == [
        ("files[1]", "logo.svg: This file cannot be used. Choose an image in PNG, JPEG, WebP, GIF or ICO format."),
        ("files[2]", "bomb.png: This image has more than 40 million pixels. Choose a smaller one."),
    ]
    reasons = [error["parameters"]["reason"]["code"] for error in errors]
    assert (errors[0]["code"], reasons) == ("file-rejected", ["image-format", "image-too-many-pixels"])
    assert (shown(admin, game)["pictures"], stored(world)) == ([], before)


@pytest.mark.parametrize(
    "files",
    [
        [("huge.png", bytes(32 * MIB + 1))],
        [(f"{number}.png", bytes(22 * MIB)) for number in range(3)],
        [(f"{number}.png", png()) for number in range(11)],
        [("endless.png", bytes(70 * MIB))],
    ],
    ids=["one that is too large", "too large together", "too many", "larger than any body"],
)
def test_uploads_that_exceed_the_limits_are_rejected_with_the_limits(world: World, files: list[File]) -> None:
    admin, game = doom(world)
    refused = send(admin, game, *files)
    assert (refused.status_code, refused.json()["type"]) == (413, "too-large")
    assert refused.json()["detail"] == (
        "At most 10 files can be sent at once, of at most 32 MiB each and 64 MiB together. Send fewer or smaller ones."
    )
    assert admin.get("/api/v1/user").status_code == 200


def test_ten_images_can_be_uploaded_together(world: World) -> None:
    admin, game = doom(world)
    assert len(send(admin, game, *[(f"{number}.png", png()) for number in range(10)]).json()) == 10


@pytest.mark.parametrize(
    ("fields", "field"), [({"use": "wallpaper"}, "use"), ({"colour": "red"}, "colour"), ({"id": "x" * 65}, "id")]
)
def test_an_invalid_field_is_named(world: World, fields: dict[str, str], field: str) -> None:
    parts = [("a", ("a.png", png()))]
    refused = world.admin().request("POST", IMAGES, data={"id": NOWHERE, **fields}, files=parts)
    assert (refused.status_code, [each["field"] for each in refused.json()["errors"]]) == (400, [field])


def test_a_body_that_is_not_a_form_is_rejected(world: World) -> None:
    refused = world.admin().post(IMAGES, {"id": NOWHERE})
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid-input")
    assert "multipart/form-data" in refused.json()["detail"]


def test_the_permission_is_checked_before_the_body(world: World) -> None:
    program = world.token_of(world.admin(), "system:game:update", "system:game:image:delete")
    assert send(program, NOWHERE, ("a.svg", SVG)).status_code == 403
    assert send(world.any_user(), NOWHERE, ("a.svg", SVG)).status_code == 401


def test_deleting_an_image_deletes_its_bytes_and_makes_its_uses_manual(world: World) -> None:
    admin, game = doom(world, Role.COVER, Role.CAROUSEL, Role.CAROUSEL)
    before = shown(admin, game)
    first, second = before["carousel"]
    admin.patch(f"/api/v1/admin/game/{game}", {"cover": first})
    kept = stored(world)

    deleted = admin.delete(IMAGES, {"gameId": game, "imageId": first})

    after = shown(admin, game)
    assert deleted.status_code == 204
    assert (after["cover"], after["carousel"]) == (None, [second])
    assert {after["sources"][field] for field in ("cover", "carousel")} == {"Manual"}
    assert admin.get(f"/api/v1/object/{first}").status_code == 404
    assert stored(world) == kept - len(before["pictures"][0]["renditions"])


def test_deleting_an_unused_image_changes_no_sources(world: World) -> None:
    admin, game = doom(world, Role.COVER)
    added = send(admin, game, ("a.png", png())).json()[0]["id"]
    before = shown(admin, game)["sources"]
    assert admin.delete(IMAGES, {"gameId": game, "imageId": added}).status_code == 204
    assert shown(admin, game)["sources"] == before


def test_an_image_of_another_game_is_not_found(world: World) -> None:
    admin, game = doom(world)
    other = shown(admin, add_game(world, GameMetadata("Quake"), pictures=[Role.COVER]))
    refused = admin.delete(IMAGES, {"gameId": game, "imageId": other["cover"]})
    assert (refused.status_code, refused.json()["type"]) == (404, "picture-unknown")
    assert shown(admin, other["id"])["cover"] == other["cover"]


def test_deleting_an_image_requires_its_permission(world: World) -> None:
    program = world.token_of(world.admin(), "system:game:update", "system:game:image:new")
    assert program.delete(IMAGES, {"gameId": NOWHERE, "imageId": NOWHERE}).status_code == 403
