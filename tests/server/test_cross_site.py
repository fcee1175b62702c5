"""Protection against requests that other sites make with a user's browser."""

from typing import Any

import pytest

from world import PASSWORD, World, running_world

FOREIGN = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}


PAGES: tuple[dict[str, str], ...] = (
    FOREIGN,
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    # Browsers add this automatically if a web server in front requires a password.
    {**FOREIGN, "Authorization": "Basic YWRhOnNlY3JldA=="},
)


def test_another_site_cannot_use_the_cookie_for_changes(world: World) -> None:
    ada = world.person("ada")
    browser = world.browser("ada")

    for headers in PAGES:
        refused = [
            browser.patch("/api/v1/user", {"displayName": "Mallory"}, headers=headers),
            browser.delete("/api/v1/user/session", headers=headers),
            browser.post("/api/v1/auth/signout", headers=headers),
        ]
        assert {(answer.status_code, answer.json()["type"]) for answer in refused} == {(403, "foreign-origin")}
    assert browser.get("/api/v1/user").json() == ada.user


def test_the_servers_own_page_may_make_changes(world: World) -> None:
    world.person("ada")
    browser = world.browser("ada")

    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": world.address}, {}):
        assert browser.patch("/api/v1/user", {"displayName": "Ada"}, headers=headers).status_code == 200


def test_the_external_url_belongs_to_the_service(world: World) -> None:
    world.person("ada")
    settings = world.services.settings
    with running_world(
        world.folder, database_url=settings.database_url, external_url="https://games.example.org"
    ) as behind_proxy:
        secret = behind_proxy.sign_in("ada").json()["accessToken"]
        headers = {"Cookie": f"__Host-playdock_session={secret}", "Origin": "https://games.example.org"}
        changed = behind_proxy.any_user().patch("/api/v1/user", {"displayName": "Ada"}, headers=headers)
        assert changed.status_code == 200


def test_with_https_a_cookie_without_the_host_prefix_is_ignored(world: World) -> None:
    world.person("ada")
    settings = world.services.settings
    with running_world(
        world.folder, database_url=settings.database_url, external_url="https://games.example.org"
    ) as behind_proxy:
        secret = behind_proxy.sign_in("ada").json()["accessToken"]
        looked = behind_proxy.any_user().get("/api/v1/user", headers={"Cookie": f"playdock_session={secret}"})
        assert looked.json() is None


@pytest.mark.parametrize("address", ["http://[", "http://[::1", "https://[x]"])
def test_a_page_with_an_invalid_origin_is_foreign(world: World, address: str) -> None:
    refused = world.any_user().post("/api/v1/auth/signout", headers={"Origin": address})

    assert refused.status_code == 403


def test_a_bearer_token_is_accepted_from_any_origin(world: World) -> None:
    ada = world.person("ada")

    assert ada.patch("/api/v1/user", {"displayName": "Ada"}, headers=FOREIGN).status_code == 200


def test_another_site_can_read_only_without_the_cookie(world: World) -> None:
    ada = world.person("ada")

    looked = world.browser("ada").get("/api/v1/user", headers=FOREIGN)

    assert looked.json() == ada.user
    assert "access-control-allow-origin" not in looked.headers


def test_another_site_cannot_sign_a_user_in(world: World) -> None:
    world.person("ada")
    body = {"username": "ada", "password": PASSWORD}

    assert world.any_user().post("/api/v1/auth/signin/simple", body, headers=FOREIGN).status_code == 403


def test_the_bearer_token_takes_precedence_over_the_cookie(world: World) -> None:
    ada, bob = world.person("ada"), world.person("bob")
    browser = world.browser("ada")

    def who(authorization: str) -> Any:
        return browser.get("/api/v1/user", headers={"Authorization": authorization}).json()

    assert who(f"Bearer {bob.token}") == who(f"bearer {bob.token}") == bob.user
    assert who("Bearer pds_dead") is None
    assert who("Basic YTpi") == ada.user
