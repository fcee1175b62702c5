"""Accounts: reading, changing and deleting them, passwords, reset links and pictures."""

import io
from base64 import b64encode
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from playdock.features.accounts import queries
from world import PASSWORD, Caller, World, at_once, running_world

USERS = "/api/v1/admin/users"
NEW_PASSWORD = "another good password"
NOBODY = f"{USERS}/00000000-0000-4000-8000-000000000000"


def path_of(person: Caller) -> str:
    return f"{USERS}/{person.user['id']}"


def picture(kind: str = "PNG", size: tuple[int, int] = (30, 20)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, kind)
    return out.getvalue()


def upload(person: Caller, data: bytes) -> Any:
    return person.patch("/api/v1/user", {"picture": b64encode(data).decode()})


def send(person: Caller, *pictures: bytes) -> Any:
    files = [("files", ("picture", data, "image/png")) for data in pictures] or {"files": (None, b"text")}
    return person.request("POST", "/api/v1/user/picture", files=files)


def reset_link(admin: Caller, person: Caller) -> str:
    """Ask for a reset link and return the secret it carries."""
    made = admin.post(f"{path_of(person)}/reset")
    assert made.status_code == 200, made.text
    url: str = made.json()["resetUrl"]
    return parse_qs(urlsplit(url).query)["id"][0]


def reset(world: World, secret: str, password: str = NEW_PASSWORD) -> int:
    return world.any_user().post("/api/v1/auth/reset/simple", {"id": secret, "password": password}).status_code


def stored_files(world: World) -> int:
    return len(list(world.services.blobs.keys("objects", before=world.clock() + timedelta(days=1))))


def test_a_user_has_exactly_the_documented_fields(world: World) -> None:
    user = world.person("ada").get("/api/v1/user").json()

    assert {name: type(value) for name, value in user.items()} == {
        "id": str,
        "username": str,
        "displayName": str,
        "email": str,
        "profilePictureObjectId": str,
        "admin": bool,
        "enabled": bool,
    }


def test_an_anonymous_caller_gets_null(world: World) -> None:
    dead = [{}, {"Authorization": "Bearer pds_unknown"}, {"Authorization": "Bearer"}, {"Authorization": "Basic YTpi"}]

    for headers in [*dead, {"Cookie": "playdock_session=unknown"}]:
        answer = world.any_user().get("/api/v1/user", headers=headers)
        assert (answer.status_code, answer.text) == (200, "null")


def test_an_admin_can_list_all_users_by_name(world: World) -> None:
    admin, bob = world.admin("Zoe"), world.person("bob")

    assert admin.get(USERS).json() == [bob.user, admin.user]
    assert admin.get(path_of(bob)).json() == bob.user


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["ada", "bob", "tove"]),
        ({"q": "JAN tove"}, ["tove"]),
        ({"q": "bob@example"}, ["bob"]),
        ({"q": "nobody"}, []),
        ({"admin": "true"}, ["ada"]),
        ({"admin": "false", "enabled": "true"}, ["bob"]),
        ({"enabled": "false"}, ["tove"]),
        ({"limit": "2"}, ["ada", "bob"]),
        ({"limit": "2", "after": "Ada"}, ["bob", "tove"]),
        ({"limit": "1", "q": "@example", "after": "ada"}, ["bob"]),
        ({"q": "example"}, []),
        ({"q": "moomin"}, ["tove"]),
        ({"q": "%"}, []),
        ({"after": "zoe"}, []),
    ],
)
def test_users_are_searched_and_listed_page_by_page(world: World, wanted: dict[str, str], expected: list[str]) -> None:
    admin = world.person("ada", admin=True)
    world.person("bob")
    tove = world.person("tove")
    changed = {"displayName": "Tové Jansson", "email": "moomin@example.com", "enabled": False}
    assert admin.patch(path_of(tove), changed).status_code == 200

    found = admin.get(USERS, params=wanted).json()

    assert [user["username"] for user in found] == expected


@pytest.mark.both_databases
def test_users_are_searched_block_by_block(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "_BLOCK", 2)
    admin = world.admin("zoe")
    for name in ("ada", "bob", "eve", "tom"):
        world.person(name)
    names = [user["username"] for user in admin.get(USERS).json()]
    assert names == ["ada", "bob", "eve", "tom", "zoe"]
    assert [user["username"] for user in admin.get(USERS, params={"q": "o", "limit": 2}).json()] == ["bob", "tom"]


def test_only_admins_can_use_the_calls_for_users(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    answers = [bob.get(USERS), bob.get(path_of(bob)), bob.get(path_of(admin)), bob.delete(path_of(bob))]

    assert {answer.status_code for answer in answers} == {403}


def test_an_unknown_user_is_not_found(world: World) -> None:
    admin = world.admin()

    for path in (NOBODY, f"{USERS}/x", f"{USERS}/%00", f"{USERS}/%ff"):
        calls = [admin.get(path), admin.patch(path, {"admin": False}), admin.delete(path), admin.post(f"{path}/reset")]
        assert {(call.status_code, call.json()["status"]) for call in calls} == {(404, 404)}


def test_users_can_change_their_display_name_and_email(world: World) -> None:
    ada = world.person("ada")

    changed = ada.patch("/api/v1/user", {"displayName": " Ada L. ", "email": "new@example.org"})

    assert (changed.status_code, changed.json()) == (200, ada.get("/api/v1/user").json())
    assert changed.json() == {**ada.user, "displayName": "Ada L.", "email": "new@example.org"}


def test_an_empty_display_name_becomes_the_user_name(world: World) -> None:
    admin = world.admin()
    for call in (partial(admin.patch, "/api/v1/user"), partial(admin.patch, path_of(admin))):
        admin.patch("/api/v1/user", {"displayName": "Ada L."})
        assert call({"displayName": "  "}).json()["displayName"] == "ada"


def test_an_empty_body_changes_nothing(world: World) -> None:
    admin = world.admin()

    assert admin.patch("/api/v1/user", {}).json() == admin.user
    assert admin.patch(path_of(admin), {}).json() == admin.user


def test_unknown_fields_are_rejected(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    own = bob.patch("/api/v1/user", {"admin": True, "enabled": True, "username": "root", "id": "x"})
    other = admin.patch(path_of(bob), {"username": "root", "id": "x", "picture": None, "normalized_name": "root"})

    assert [{fault["field"] for fault in answer.json()["errors"]} for answer in (own, other)] == [
        {"admin", "enabled", "username", "id"},
        {"username", "id", "picture", "normalized_name"},
    ]
    assert bob.get("/api/v1/user").json() == bob.user


def test_an_admin_can_change_another_account(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    changed = admin.patch(path_of(bob), {"displayName": "Bob B.", "email": "b@example.org", "admin": True})

    assert changed.json() == {**bob.user, "displayName": "Bob B.", "email": "b@example.org", "admin": True}
    assert bob.get(USERS).status_code == 200


def test_deleting_a_user_deletes_their_sessions_tokens_and_picture(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    program, browser = world.token_of(bob, "user:read"), world.browser("bob")

    assert admin.delete(path_of(bob)).status_code == 204

    assert [caller.get("/api/v1/user").json() for caller in (bob, program, browser)] == [None] * 3
    assert world.sign_in("bob").status_code == 401
    assert admin.get(f"/api/v1/object/{bob.user['profilePictureObjectId']}").status_code == 404
    assert (stored_files(world), admin.get(USERS).json()) == (1, [admin.user])
    assert world.sign_up(world.invitation(), username="bob").status_code == 201


def test_the_last_enabled_admin_cannot_be_removed(world: World) -> None:
    admin, sleeping = world.admin("ada"), world.admin("eve")
    assert admin.patch(path_of(sleeping), {"enabled": False}).status_code == 200

    refused = [
        admin.delete(path_of(admin)),
        admin.patch(path_of(admin), {"admin": False}),
        admin.patch(path_of(admin), {"enabled": False, "displayName": "x"}),
    ]

    assert {(answer.status_code, answer.json()["type"]) for answer in refused} == {(409, "last-admin")}
    assert admin.get("/api/v1/user").json() == admin.user
    assert admin.patch(path_of(sleeping), {"enabled": True}).status_code == 200
    assert admin.delete(path_of(admin)).status_code == 204


@pytest.mark.both_databases
def test_two_admins_removing_each_other_simultaneously_leave_one(world: World) -> None:
    with running_world(world.folder, database_url=world.services.settings.database_url) as neighbor:
        for turn in range(5):
            ada, eve = world.admin(f"ada{turn}"), world.admin(f"eve{turn}")
            _demote_all_but(world, ada, eve)
            there = neighbor.with_token(eve.token)
            calls = [partial(ada.patch, path_of(eve), {"admin": False}), partial(there.delete, path_of(ada))]
            answers = [answer.status_code for answer in at_once(calls)]

            assert len([status for status in answers if status in (200, 204)]) == 1
            assert set(answers) <= {200, 204, 401, 403, 409}


def _demote_all_but(world: World, first: Caller, second: Caller) -> None:
    for user in first.get(USERS).json():
        if user["admin"] and user["id"] not in (first.user["id"], second.user["id"]):
            assert first.patch(f"{USERS}/{user['id']}", {"admin": False}).status_code == 200


def test_changing_the_password_replaces_it_and_ends_other_sessions(world: World) -> None:
    ada = world.person("ada")
    browser = world.browser("ada")

    changed = ada.post("/api/v1/user/password", {"current": PASSWORD, "new": NEW_PASSWORD})

    assert (changed.status_code, changed.content) == (204, b"")
    assert [world.sign_in("ada", word).status_code for word in (PASSWORD, NEW_PASSWORD)] == [401, 200]
    assert (ada.get("/api/v1/user").json(), browser.get("/api/v1/user").json()) == (ada.user, None)


def test_the_current_password_must_be_correct(world: World) -> None:
    ada = world.person("ada")

    refused = ada.post("/api/v1/user/password", {"current": "a wrong password", "new": NEW_PASSWORD})

    assert (refused.status_code, refused.json()["type"]) == (403, "wrong-password")
    assert world.sign_in("ada").status_code == 200


def test_an_invalid_new_password_is_rejected(world: World) -> None:
    ada = world.person("ada")

    for new in ("short", "x" * 1025, "🎮" * 257):
        refused = ada.post("/api/v1/user/password", {"current": PASSWORD, "new": new})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "new")


def test_the_current_password_can_be_guessed_only_ten_times(world: World) -> None:
    ada = world.person("ada")
    bodies = [{"current": "a wrong password", "new": NEW_PASSWORD}] * 11 + [{"current": PASSWORD, "new": NEW_PASSWORD}]

    answers = [ada.post("/api/v1/user/password", body).status_code for body in bodies]

    assert answers == [403] * 10 + [429] * 2
    assert world.sign_in("ada").status_code == 200


def test_a_reset_link_can_set_a_password_only_once(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    browser = world.browser("bob")
    link = reset_link(admin, bob)

    assert [reset(world, link), reset(world, link, "a third good password")] == [204, 404]
    assert [world.sign_in("bob", word).status_code for word in (PASSWORD, NEW_PASSWORD)] == [401, 200]
    assert [caller.get("/api/v1/user").json() for caller in (bob, browser)] == [None, None]


def test_a_reset_link_can_be_checked_until_it_is_used(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    link = reset_link(admin, bob)

    def check() -> int:
        return world.any_user().get(f"/api/v1/auth/reset/simple?id={link}").status_code

    assert [check(), check(), reset(world, link), check()] == [204, 204, 204, 404]
    expired = world.any_user().get("/api/v1/auth/reset/simple?id=unknown")
    assert (expired.status_code, expired.json()["type"]) == (404, "reset-unknown")


def test_a_reset_link_points_to_the_service(world: World) -> None:
    admin = world.admin()

    made = admin.post(f"{path_of(admin)}/reset").json()

    assert made["resetUrl"].startswith(f"{world.address}/auth/reset?id=pdr_")
    assert set(made) == {"resetUrl"}


def test_only_the_newest_reset_link_is_valid_for_a_day(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    old, new = reset_link(admin, bob), reset_link(admin, bob)

    world.clock.advance(hours=23, minutes=59)
    assert [reset(world, old), reset(world, "unknown"), reset(world, new, "short")] == [404, 404, 400]
    world.clock.advance(minutes=2)
    assert reset(world, new) == 404
    assert world.sign_in("bob").status_code == 200


@pytest.mark.both_databases
def test_only_one_of_several_simultaneous_uses_of_a_reset_link_succeeds(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    link = reset_link(admin, bob)

    answers = at_once([partial(reset, world, link, f"good password number {number}") for number in range(8)])

    assert sorted(answers) == [204] + [404] * 7
    right = [world.sign_in("bob", f"good password number {number}").status_code for number in range(8)]
    assert right == [200 if answer == 204 else 401 for answer in answers]


def test_only_admins_can_create_reset_links(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    assert bob.post(f"{path_of(admin)}/reset").status_code == 403
    assert world.token_of(admin, "system:user:read").post(f"{path_of(bob)}/reset").status_code == 403


def test_an_uploaded_picture_replaces_the_previous_one(world: World) -> None:
    ada = world.person("ada")
    for kind in ("PNG", "JPEG", "WEBP"):
        changed = upload(ada, picture(kind))
        assert changed.status_code == 200, changed.text
        shown = ada.get(f"/api/v1/object/{changed.json()['profilePictureObjectId']}")
        assert (shown.headers["content-type"], Image.open(io.BytesIO(shown.content)).size) == ("image/webp", (20, 20))

    assert ada.get(f"/api/v1/object/{ada.user['profilePictureObjectId']}").status_code == 404
    assert stored_files(world) == 1


def test_a_picture_can_be_sent_as_a_form(world: World) -> None:
    ada = world.person("ada")

    changed = send(ada, picture("JPEG"))

    assert changed.status_code == 200, changed.text
    assert changed.json() == ada.get("/api/v1/user").json() != ada.user
    shown = ada.get(f"/api/v1/object/{changed.json()['profilePictureObjectId']}")
    assert Image.open(io.BytesIO(shown.content)).size == (20, 20)
    assert stored_files(world) == 1


def test_a_form_with_another_number_of_pictures_or_a_large_one_is_refused(world: World) -> None:
    ada = world.person("ada")
    refused = [send(ada), send(ada, picture(), picture()), send(ada, bytes(8 * 1024 * 1024 + 1))]
    assert [each.status_code for each in refused] == [400, 413, 413]
    assert refused[2].json()["detail"] == "Only one file can be sent, of at most 8 MiB. Send a smaller one."
    assert ada.get("/api/v1/user").json() == ada.user


def test_setting_the_picture_to_null_generates_a_new_one(world: World) -> None:
    ada = world.person("ada")
    pictures = [ada.get(f"/api/v1/object/{ada.user['profilePictureObjectId']}").content]

    for _ in range(3):
        drawn = ada.patch("/api/v1/user", {"picture": None}).json()["profilePictureObjectId"]
        pictures.append(ada.get(f"/api/v1/object/{drawn}").content)

    assert len(set(pictures)) == 4
    assert stored_files(world) == 1


def test_invalid_pictures_are_rejected_with_the_reason(world: World) -> None:
    ada = world.person("ada")
    wrong = {b"<svg/>": "PNG, JPEG or WebP", picture(size=(300, 300))[:-40]: "damaged", bytes(9_000_000): "8 MiB"}

    for data, reason in wrong.items():
        refused = upload(ada, data)
        assert (refused.status_code, refused.json()["type"]) == (400, "picture-refused")
        assert reason in refused.json()["detail"]
    assert ada.patch("/api/v1/user", {"picture": "no base64!"}).json()["errors"][0]["field"] == "picture"
    assert (ada.get("/api/v1/user").json(), stored_files(world)) == (ada.user, 1)
