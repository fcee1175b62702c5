"""Permissions of tokens cannot be turned into more: nothing but a permission of its own makes an administrator."""

from datetime import timedelta
from typing import Any

import pytest

from playdock.auth.permissions import RESERVED_PERMISSIONS, Permission
from playdock.kit.clock import timestamp
from world import Caller, World

INVITATIONS = "/api/v1/admin/auth/invitation"
ADMINS = "system:user:admin:update"
READ, NEW = "system:auth:simple:invitation:read", "system:auth:simple:invitation:new"
UPDATE = "system:user:update"


def path_of(user: Caller) -> str:
    return f"/api/v1/admin/users/{user.user['id']}"


def invite(world: World, caller: Caller, **wanted: Any) -> Any:
    return caller.post(INVITATIONS, {"expires": timestamp(world.clock() + timedelta(days=1)), **wanted})


@pytest.mark.parametrize(
    ("acls", "shown"),
    [
        ([READ], []),
        ([READ, ADMINS], []),
        ([READ, NEW], [False]),
        ([READ, NEW, ADMINS], [False, True]),
    ],
)
def test_a_token_sees_the_ids_of_invitations_that_it_could_create(
    world: World, acls: list[str], shown: list[bool]
) -> None:
    admin = world.admin()
    ids = {is_admin: invite(world, admin, isAdmin=is_admin).json()[0]["id"] for is_admin in (False, True)}

    listed = world.token_of(admin, *acls).get(INVITATIONS)

    seen = {each["isAdmin"]: (each["id"], each["inviteUrl"] is not None) for each in listed.json()}
    assert seen == {is_admin: (id_, True) if is_admin in shown else (None, False) for is_admin, id_ in ids.items()}
    assert [id_ in listed.text for id_ in ids.values()] == [False in shown, True in shown]
    assert {each["id"] for each in admin.get(INVITATIONS).json()} == set(ids.values())


@pytest.mark.parametrize(("acls", "statuses"), [([NEW], (201, 403)), ([NEW, ADMINS], (201, 201)), ([ADMINS], (403,))])
def test_an_invitation_of_an_admin_needs_a_permission_of_its_own(
    world: World, acls: list[str], statuses: tuple[int, ...]
) -> None:
    admin = world.admin()
    program = world.token_of(admin, *acls)

    made = [invite(world, program, isAdmin=is_admin) for is_admin in (False, True)]

    assert tuple(dict.fromkeys(each.status_code for each in made)) == tuple(dict.fromkeys(statuses))
    assert len(admin.get(INVITATIONS).json()) == statuses.count(201)


PROMOTIONS = [
    ("patch", "bob", {"admin": True}),
    ("patch", "bob", {"admin": False}),
    ("patch", "eve", {"admin": False}),
    ("patch", "eve", {"enabled": False}),
    ("patch", "eve", {"email": "mallory@example.org"}),
    ("post", "eve/reset", None),
]


def test_granting_the_role_and_changing_admins_needs_a_permission_of_its_own(world: World) -> None:
    admin = world.admin()
    people = {"bob": world.person("bob"), "eve": world.admin("eve")}
    narrow, wide = world.token_of(admin, UPDATE), world.token_of(admin, UPDATE, ADMINS)

    def call(program: Caller, method: str, target: str, body: Any) -> Any:
        name, _, rest = target.partition("/")
        return program.request(method.upper(), f"{path_of(people[name])}/{rest}".rstrip("/"), json=body)

    refused = [call(narrow, *each) for each in PROMOTIONS]
    assert {(answer.status_code, answer.json()["type"]) for answer in refused} == {(403, "permission-missing")}
    assert all(ADMINS in answer.json()["detail"] for answer in refused)
    assert {user["username"]: user["admin"] for user in admin.get("/api/v1/admin/users").json()} == {
        "ada": True,
        "bob": False,
        "eve": True,
    }
    assert call(narrow, "patch", "bob", {"displayName": "Bob"}).status_code == 200
    assert call(narrow, "post", "bob/reset", None).status_code == 200
    assert [call(wide, *each).status_code for each in PROMOTIONS] == [200] * len(PROMOTIONS)


def test_a_reset_link_made_for_a_player_does_not_reset_an_admin(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    link = world.token_of(admin, UPDATE).post(f"{path_of(bob)}/reset").json()["resetUrl"]

    assert admin.patch(path_of(bob), {"admin": True}).status_code == 200

    body = {"id": link.partition("id=")[2], "password": "a password of mallory"}
    assert world.any_user().post("/api/v1/auth/reset/simple", body).status_code == 404
    assert world.sign_in("bob").status_code == 200


def test_all_other_permissions_together_make_no_admin(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    acls = sorted(set(Permission) - RESERVED_PERMISSIONS - {Permission.ADMINS_UPDATE})
    secret = invite(world, admin, isAdmin=True).json()[0]["id"]
    program = world.token_of(admin, *acls)

    attempts = [
        invite(world, program, isAdmin=True),
        program.patch(path_of(bob), {"admin": True}),
        program.post(f"{path_of(admin)}/reset"),
        program.post("/api/v1/user/token", {"name": "more", "acls": [ADMINS]}),
    ]

    assert {answer.status_code for answer in attempts} == {403}
    assert secret not in program.get(INVITATIONS).text


@pytest.mark.folder_objects
def test_no_library_contains_the_services_own_data(world: World) -> None:
    admin = world.admin()
    program = world.token_of(admin, "system:library:sources:new", "system:library:sources:update")
    (world.folder / "way").symlink_to(world.folder)
    settings = world.services.settings
    folders = [settings.data_dir, settings.objects_dir, world.folder, world.folder / "way", "/"]
    library = world.library(admin)

    for folder in folders:
        options = {"baseDir": str(folder)}
        new = {"name": "All", "backend": "Filesystem", "options": options}
        answers = [
            program.post("/api/v1/admin/library/sources", new),
            program.patch("/api/v1/admin/library/sources", {"id": library["id"], "options": options}),
        ]
        for answer in answers:
            assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "library-private"), folder
