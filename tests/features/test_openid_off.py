"""Where OpenID is not set up: nothing of it can be used, and passwords stay, whatever else is set."""

from pathlib import Path

from world import World, running_world

_CALLBACK = "/auth/callback/oidc?state=state&code=code"


def test_only_passwords_are_named(world: World) -> None:
    assert world.anybody().get("/api/v1/auth").json() == ["Simple"]
    assert world.admin().get("/api/v1/admin/auth").json() == {"Simple": True}


def test_a_page_tells_how_to_sign_in_otherwise(world: World) -> None:
    told = world.anybody().get("/auth/oidc")
    assert (told.status_code, told.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "OpenID is not configured" in told.text
    assert "user name and password" in told.text


def test_pages_load_and_run_nothing(world: World) -> None:
    told = world.anybody().get(_CALLBACK)
    assert told.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert told.headers["cache-control"] == "no-store"
    assert "<script" not in told.text
    assert "src=" not in told.text


def test_what_is_no_query_is_told_in_a_page(world: World) -> None:
    told = world.anybody().get("/auth/oidc", params={"link": "<b>perhaps</b>"})
    assert (told.status_code, told.headers["content-type"]) == (400, "text/html; charset=utf-8")
    assert "<b>" not in told.text


def test_passwords_cannot_be_switched_off(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, disable_simple_auth=True) as world:
        assert world.anybody().get("/api/v1/auth").json() == ["Simple"]
        assert world.person("ada").get("/api/v1/user").json()["username"] == "ada"


def test_the_last_password_stays(world: World) -> None:
    ada = world.person("ada")
    refused = ada.delete("/api/v1/user/mechanism/Simple")
    assert (refused.status_code, refused.json()["type"]) == (409, "last-sign-in-method")
    assert ada.get("/api/v1/user/mechanism").json() == [{"kind": "Simple"}]


def test_what_one_has_not_cannot_be_taken_away(world: World) -> None:
    refused = world.person("ada").delete("/api/v1/user/mechanism/OpenID")
    assert (refused.status_code, refused.json()["type"]) == (404, "sign-in-method-unknown")


def test_signing_out_by_form_ends_the_session_and_leads_to_the_first_page(world: World) -> None:
    world.person("ada")
    ada = world.browser("ada")
    left = ada.post("/auth/signout", headers={"Origin": world.address})
    assert (left.status_code, left.headers["location"]) == (303, "/")
    assert ada.get("/api/v1/user").json() is None
