"""Devices of the player's client are let in by a person (RFC 8628)."""

import pytest
from sqlalchemy import text

from devices import REQUEST, ask, clean, count, decide, device, error_of, poll
from playdock.auth.permissions import RESERVED_PERMISSIONS, USER_PERMISSIONS
from playdock.models import Device, DeviceRequest
from world import World


def test_a_device_receives_its_codes_and_a_polling_interval(world: World) -> None:
    asked = world.any_user().request("POST", "/oauth/device_authorization", data={"client_id": "playdock-client"})
    codes = asked.json()

    assert asked.headers["cache-control"] == "no-store"
    assert codes["verification_uri"] == f"{world.address}/device"
    assert codes["verification_uri_complete"] == f"{world.address}/device?user_code={codes['user_code']}"
    assert (codes["expires_in"], codes["interval"]) == (600, 5)
    assert set(codes["user_code"].replace("-", "", 1)) <= set("BCDFGHJKLMNPQRSTVWXZ")
    assert (len(codes["user_code"]), codes["user_code"][4]) == (9, "-")


def test_an_authorized_device_acts_for_its_user(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)
    assert error_of(poll(world, codes)) == (400, "authorization_pending")

    assert decide(ada, codes).status_code == 204
    let_in = poll(world, codes)

    assert let_in.headers["cache-control"] == "no-store"
    assert (let_in.json()["token_type"], let_in.json()["scope"]) == ("Bearer", " ".join(sorted(USER_PERMISSIONS)))
    assert world.with_token(let_in.json()["access_token"]).get("/api/v1/user").json() == ada.user


def test_the_user_sees_which_device_is_waiting(world: World) -> None:
    ada, codes = world.person("ada"), ask(world, device_name="  The\tattic \n PC ", platform="Windows")

    shown = ada.get(REQUEST, params={"userCode": codes["user_code"]})

    assert (shown.status_code, set(shown.json())) == (200, {"name", "platform", "created", "expires"})
    assert (shown.json()["name"], shown.json()["platform"]) == ("The attic PC", "Windows")


def test_the_device_name_and_platform_are_optional(world: World) -> None:
    ada, codes = world.person("ada"), ask(world, device_name=" ", platform="")

    shown = ada.get(REQUEST, params={"userCode": codes["user_code"]}).json()

    assert (shown["name"], shown["platform"]) == ("A device without a name", None)


def test_a_user_code_can_be_typed_in_any_format(world: World) -> None:
    ada, code = world.person("ada"), ask(world)["user_code"]

    typed = (code.lower(), code.replace("-", ""), f" {code} ", " ".join(code), code.replace("-", "\u2013"))

    assert {ada.get(REQUEST, params={"userCode": each}).status_code for each in typed} == {200}


def test_a_denied_device_gets_access_denied_on_every_poll(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)

    assert decide(ada, codes, approve=False).status_code == 204

    assert [error_of(poll(world, codes)) for _ in range(2)] == [(400, "access_denied")] * 2


def test_a_device_code_expires_without_a_decision(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)
    world.clock.advance(minutes=9)
    assert error_of(poll(world, codes)) == (400, "authorization_pending")

    world.clock.advance(minutes=1)

    assert error_of(poll(world, codes)) == (400, "expired_token")
    assert decide(ada, codes).status_code == 404


def test_an_authorized_device_gets_no_token_after_its_code_expired(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)
    decide(ada, codes)

    world.clock.advance(minutes=10)

    assert error_of(poll(world, codes)) == (400, "expired_token")
    assert count(world, Device) == 0


def test_a_decision_can_be_made_only_once(world: World) -> None:
    ada, eve = world.person("ada"), world.person("eve")
    allowed, refused = ask(world), ask(world)
    decide(ada, allowed)
    decide(ada, refused, approve=False)

    again = [decide(eve, codes, approve=choice) for codes in (allowed, refused) for choice in (True, False)]
    seen = [eve.get(REQUEST, params={"userCode": codes["user_code"]}) for codes in (allowed, refused)]

    assert {(answer.status_code, answer.json()["type"]) for answer in again + seen} == {(404, "device-request-unknown")}
    assert world.with_token(poll(world, allowed).json()["access_token"]).get("/api/v1/user").json() == ada.user


def test_a_device_code_can_be_exchanged_only_once(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)
    decide(ada, codes)
    assert poll(world, codes).status_code == 200

    assert error_of(poll(world, codes)) == (400, "invalid_grant")
    assert ada.get(REQUEST, params={"userCode": codes["user_code"]}).status_code == 404


def test_polling_too_often_increases_the_interval_each_time(world: World) -> None:
    codes = ask(world)

    def after(seconds: int) -> str:
        world.clock.advance(seconds=seconds)
        return str(poll(world, codes).json()["error"])

    pending, slow = "authorization_pending", "slow_down"
    assert [after(pause) for pause in (0, 5, 2, 6, 16, 10)] == [pending, pending, slow, slow, pending, slow]


def test_an_authorized_device_does_not_have_to_wait(world: World) -> None:
    codes = ask(world)
    poll(world, codes)
    decide(world.person("ada"), codes)

    assert poll(world, codes).status_code == 200


WRONG: tuple[tuple[dict[str, str], tuple[int, str]], ...] = (
    ({"grant_type": "password"}, (400, "unsupported_grant_type")),
    ({"grant_type": ""}, (400, "invalid_request")),
    ({"device_code": ""}, (400, "invalid_request")),
    ({"device_code": "pdd_unknown"}, (400, "invalid_grant")),
    ({"client_id": "another"}, (401, "invalid_client")),
    ({"client_id": ""}, (400, "invalid_request")),
)


@pytest.mark.parametrize(("wrong", "told"), WRONG)
def test_invalid_token_requests_get_oauth_errors(world: World, wrong: dict[str, str], told: tuple[int, str]) -> None:
    refused = poll(world, ask(world), **wrong)

    assert error_of(refused) == told
    assert set(refused.json()) == {"error", "error_description"}
    assert (refused.headers["content-type"], refused.headers["cache-control"]) == ("application/json", "no-store")


@pytest.mark.parametrize("wrong", [{"client_id": ""}, {"platform": "Amiga"}, {"device_name": "x" * 81}])
def test_an_invalid_device_authorization_request_is_rejected(world: World, wrong: dict[str, str]) -> None:
    form = {"client_id": "playdock-client", "device_name": "n", "platform": "macOS", **wrong}

    refused = world.any_user().request("POST", "/oauth/device_authorization", data=form)

    assert error_of(refused) == (400, "invalid_request")
    assert next(iter(wrong)) in refused.json()["error_description"]
    assert count(world, DeviceRequest) == 0


def test_secrets_are_not_stored_in_the_database(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)
    secret = device(world, ada).token

    with world.services.db.read() as session:
        rows = [
            *session.execute(text("SELECT * FROM devices")),
            *session.execute(text("SELECT * FROM device_requests")),
        ]

    assert len(rows) == 2
    shown = (secret, secret[4:], codes["device_code"][4:], codes["user_code"], codes["user_code"].replace("-", ""))
    assert not any(each in str(rows) for each in shown)


def test_only_a_session_can_authorize_a_device(world: World) -> None:
    ada, codes = world.person("ada"), ask(world)

    callers = [device(world, ada), world.token_of(ada, *(USER_PERMISSIONS - RESERVED_PERMISSIONS))]

    assert {decide(caller, codes).json()["type"] for caller in callers} == {"session-required"}
    assert decide(world.any_user(), codes).status_code == 401


def test_cross_site_requests_cannot_authorize_a_device(world: World) -> None:
    world.person("ada")
    codes, body = ask(world), {"approve": True}

    refused = world.browser("ada").post(
        REQUEST, {**body, "userCode": codes["user_code"]}, headers={"Sec-Fetch-Site": "cross-site"}
    )

    assert (refused.status_code, refused.json()["type"]) == (403, "foreign-origin")


def test_guesses_of_user_codes_are_limited_per_user(world: World) -> None:
    ada, eve, codes = world.person("ada"), world.person("eve"), ask(world)

    guesses = [ada.get(REQUEST, params={"userCode": "BBBB-BBBB"}).status_code for _ in range(11)]
    locked = decide(ada, codes)

    assert guesses == [404] * 10 + [429]
    assert (locked.status_code, int(locked.headers["retry-after"]) <= 600) == (429, True)
    assert decide(eve, codes).status_code == 204


def test_guesses_of_user_codes_are_limited_across_users(world: World) -> None:
    people = [world.person(f"guest{number}") for number in range(6)]

    guesses = [person.get(REQUEST, params={"userCode": "BBBB-BBBB"}).status_code for person in people for _ in range(9)]

    assert (guesses.count(404), guesses.count(429)) == (50, 4)


def test_an_address_can_start_20_sign_ins_within_the_lifetime_of_a_code(world: World) -> None:
    for _ in range(20):
        ask(world)
    form = {"client_id": "playdock-client"}

    refused = world.any_user().request("POST", "/oauth/device_authorization", data=form)
    world.clock.advance(minutes=10)

    assert error_of(refused) == (429, "too-many-attempts")
    assert 540 < int(refused.headers["retry-after"]) <= 600
    assert ask(world)["user_code"]


def test_expired_requests_are_deleted(world: World) -> None:
    old = ask(world)
    world.clock.advance(minutes=10)
    young = ask(world)
    world.clock.advance(minutes=6)

    clean(world)

    assert [error_of(poll(world, codes))[1] for codes in (old, young)] == ["invalid_grant", "authorization_pending"]


def test_disabling_a_user_invalidates_their_authorizations(world: World) -> None:
    admin, bob, codes = world.admin(), world.person("bob"), ask(world)
    decide(bob, codes)
    account = f"/api/v1/admin/users/{bob.user['id']}"

    admin.patch(account, {"enabled": False})
    admin.patch(account, {"enabled": True})

    assert error_of(poll(world, codes)) == (400, "access_denied")


def test_deleting_a_user_invalidates_their_authorizations(world: World) -> None:
    admin, bob, codes = world.admin(), world.person("bob"), ask(world)
    decide(bob, codes)

    admin.delete(f"/api/v1/admin/users/{bob.user['id']}")

    assert error_of(poll(world, codes)) == (400, "invalid_grant")
