"""Invitations and sign-up."""

from world import World


def test_an_invitation_makes_a_user(world: World) -> None:
    signed_up = world.sign_up(world.invitation(is_admin=True), username="Ada")

    assert signed_up.status_code == 201
    assert signed_up.json()["username"] == "Ada"
    assert signed_up.json()["admin"] is True


def test_a_taken_name_leaves_the_invitation_usable(world: World) -> None:
    first, second = world.invitation(), world.invitation()
    world.sign_up(first, username="ada")

    taken = world.sign_up(second, username="Ada")
    other = world.sign_up(second, username="bob")

    assert (taken.status_code, taken.json()["type"]) == (409, "username-taken")
    assert other.status_code == 201
