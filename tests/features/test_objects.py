"""Objects: profile pictures with rights and ETags."""

import io
from datetime import timedelta

from PIL import Image

from playdock.domain.objects.rules import may_read
from world import Caller, World


def picture_of(person: Caller) -> str:
    return f"/api/v1/object/{person.user['profilePictureObjectId']}"


def stored(world: World, reader: str) -> str:
    """An object that some may read."""
    objects = world.services.objects
    written = objects.write(b"bytes", media_type="image/webp")
    with world.services.db.write() as session:
        objects.adopt(session, written, reader=reader)
    return f"/api/v1/object/{written.id}"


def test_every_new_user_has_a_profile_image(world: World) -> None:
    ada, bob = world.person("ada"), world.person("bob")

    first, second = ada.get(picture_of(ada)), bob.get(picture_of(bob))

    assert (first.status_code, first.headers["content-type"]) == (200, "image/webp")
    assert Image.open(io.BytesIO(first.content)).size == (256, 256)
    assert first.content != second.content


def test_an_unchanged_image_is_not_sent_again(world: World) -> None:
    ada = world.person("ada")
    etag = ada.get(picture_of(ada)).headers["etag"]

    same = ada.get(picture_of(ada), headers={"If-None-Match": f'"other", {etag}'})
    other = ada.get(picture_of(ada), headers={"If-None-Match": '"other"'})

    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
    assert (other.status_code, etag[0], etag[-1]) == (200, '"', '"')


def test_head_returns_the_headers_of_get_without_the_body(world: World) -> None:
    ada = world.person("ada")

    whole, head = ada.get(picture_of(ada)), ada.request("HEAD", picture_of(ada))

    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-type", "content-length", "etag"):
        assert head.headers[name] == whole.headers[name]


def test_profile_images_are_visible_to_signed_in_users(world: World) -> None:
    ada, bob = world.person("ada"), world.person("bob")

    assert bob.get(picture_of(ada)).status_code == 200
    assert world.browser("bob").get(picture_of(ada)).status_code == 200
    assert world.token_of(bob, "user:object:read").get(picture_of(ada)).status_code == 200


def test_anonymous_requests_learn_nothing_about_an_image(world: World) -> None:
    ada = world.person("ada")
    etag = ada.get(picture_of(ada)).headers["etag"]

    for path in (picture_of(ada), "/api/v1/object/00000000-0000-4000-8000-000000000000"):
        for method in ("GET", "HEAD"):
            refused = world.any_user().request(method, path, headers={"If-None-Match": etag})
            assert (refused.status_code, "etag" in refused.headers) == (401, False)


def test_a_token_without_permission_cannot_read_images(world: World) -> None:
    ada = world.person("ada")

    refused = world.token_of(ada, "user:read", "user:store:read").get(picture_of(ada))

    assert (refused.status_code, refused.json()["type"]) == (404, "object-unknown")


def test_an_unknown_object_is_not_found(world: World) -> None:
    ada = world.person("ada")

    for name in ("unknown", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%00", "x" * 500):
        refused = ada.get(f"/api/v1/object/{name}")
        assert (refused.status_code, refused.json()["status"]) == (404, 404)


def test_the_reader_of_an_object_decides_who_can_fetch_it(world: World) -> None:
    ada, bob = world.person("ada"), world.person("bob")
    list_all, members, mine = (stored(world, reader) for reader in ("anonymous", "internal", ada.user["id"]))

    seen = [
        [caller.get(path).status_code for path in (list_all, members, mine)] for caller in (world.any_user(), bob, ada)
    ]

    assert seen == [[200, 401, 401], [200, 200, 404], [200, 200, 200]]


def test_anonymous_requests_can_only_read_anonymous_objects() -> None:
    assert [may_read(reader, None) for reader in ("anonymous", "internal", "some-id")] == [True, False, False]


def test_an_object_with_missing_bytes_is_not_found(world: World) -> None:
    ada = world.person("ada")
    world.services.objects.discard(ada.user["profilePictureObjectId"])

    assert ada.get(picture_of(ada)).json()["type"] == "object-unknown"


def test_a_sweep_deletes_only_orphaned_objects(world: World) -> None:
    ada = world.person("ada")
    objects, now = world.services.objects, world.clock()
    objects.write(b"orphan", media_type="image/webp")

    swept = [objects.sweep(before=now + timedelta(hours=hours)) for hours in (-1, 1, 1)]

    assert swept == [0, 1, 0]
    assert ada.get(picture_of(ada)).status_code == 200
