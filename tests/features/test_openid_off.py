"""Where OpenID is not set up: nothing of it can be used, and passwords stay, whatever else is set."""

from pathlib import Path

from world import World, running_world

_CALLBACK = "/auth/callback/oidc?state=state&code=code"


def test_only_password_sign_in_is_listed(world: World) -> None:
    assert world.any_user().get("/api/v1/auth").json() == ["Simple"]
    assert world.admin().get("/api/v1/admin/auth").json() == {"Simple": True}


def test_a_page_explains_that_openid_is_not_configured(world: World) -> None:
    told = world.any_user().get("/auth/oidc")
    assert (told.status_code, told.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "OpenID is not configured" in told.text
    assert "user name and password" in told.text


def test_pages_load_and_run_no_scripts(world: World) -> None:
    told = world.any_user().get(_CALLBACK)
    assert told.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert told.headers["cache-control"] == "no-store"
    assert "<script" not in told.text
    assert "src=" not in told.text


def test_an_invalid_query_is_reported_on_a_page(world: World) -> None:
    told = world.any_user().get("/auth/oidc", params={"link": "<b>perhaps</b>"})
    assert (told.status_code, told.headers["content-type"]) == (400, "text/html; charset=utf-8")
    assert "<b>" not in told.text


def test_password_sign_in_cannot_be_disabled_without_openid(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, disable_simple_auth=True) as world:
        assert world.any_user().get("/api/v1/auth").json() == ["Simple"]
        assert world.person("ada").get("/api/v1/user").json()["username"] == "ada"


def test_the_last_sign_in_method_cannot_be_removed(world: World) -> None:
    ada = world.person("ada")
    refused = ada.delete("/api/v1/user/mechanism/Simple")
    assert (refused.status_code, refused.json()["type"]) == (409, "last-sign-in-method")
    assert ada.get("/api/v1/user/mechanism").json() == [{"kind": "Simple"}]


def test_a_missing_sign_in_method_cannot_be_removed(world: World) -> None:
    refused = world.person("ada").delete("/api/v1/user/mechanism/OpenID")
    assert (refused.status_code, refused.json()["type"]) == (404, "sign-in-method-unknown")


def test_signing_out_by_form_ends_the_session_and_redirects_to_the_home_page(world: World) -> None:
    world.person("ada")
    ada = world.browser("ada")
    left = ada.post("/auth/signout", headers={"Origin": world.address})
    assert (left.status_code, left.headers["location"]) == (303, "/")
    assert ada.get("/api/v1/user").json() is None
