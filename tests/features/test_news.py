"""News: articles, release notes, notifications about them, and private feeds."""

from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from drawing import png
from playdock.features.news import rules
from world import Caller, World

from .test_notifications import announce, imported, titles
from .test_webhooks import deliver

PATH = "/api/v1/news"
ADMIN = "/api/v1/admin/news"
FEED = "/api/v1/user/feed"
ATOM = "{http://www.w3.org/2005/Atom}"


def publish(admin: Caller, title: str = "Game night", **wanted: Any) -> dict[str, Any]:
    made = admin.post(ADMIN, {"title": title, "description": "On Friday.", "content": "**Karts**", **wanted})
    assert made.status_code == 201, made.text
    article: dict[str, Any] = made.json()
    return article


def names(caller: Caller, **query: Any) -> list[str]:
    return [each["title"] for each in caller.get(PATH, params=query).json()]


@pytest.mark.both_databases
def test_articles_are_published_changed_found_and_deleted(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    night, cup = publish(ada), publish(ada, "100% cup")
    assert (night["author"]["displayName"], night["tags"], night["gameId"]) == ("ada", [], None)
    assert names(bob) == ["100% cup", "Game night"]
    assert (names(bob, order="asc", limit=1), names(bob, skip=1)) == (["Game night"], ["Game night"])
    assert (names(bob, search="NIGHT"), names(bob, search="%"), names(bob, search="_")) == (
        ["Game night"],
        ["100% cup"],
        [],
    )
    assert ada.patch(f"{ADMIN}/{night['id']}", {"content": "Quake"}).json()["content"] == "Quake"
    assert bob.get(f"{PATH}/{night['id']}").json()["description"] == "On Friday."

    image = [("files", ("night.png", png(640, 360), "image/png"))]
    for _ in range(2):
        assert ada.request("POST", f"{ADMIN}/{night['id']}/image", files=image).status_code == 204
    shown = bob.get(f"{PATH}/{night['id']}").json()["imageObjectId"]
    assert bob.get(f"/api/v1/object/{shown}").headers["content-type"] == "image/webp"
    refused = ada.request("POST", f"{ADMIN}/{night['id']}/image", files=[("files", ("x.png", b"x", "image/png"))])
    assert (refused.status_code, refused.json()["type"]) == (400, "picture-refused")
    assert ada.delete(f"{ADMIN}/{night['id']}").status_code == 204
    assert bob.get(f"/api/v1/object/{shown}").status_code == 404
    assert ada.delete(f"{ADMIN}/{cup['id']}/image").status_code == 204
    assert (names(bob), bob.get(f"{PATH}/{night['id']}").json()["type"]) == (["100% cup"], "news-article-unknown")
    assert {bob.post(ADMIN, {"title": "x"}).status_code, bob.delete(f"{ADMIN}/{cup['id']}").status_code} == {403}


def test_articles_about_games_and_release_notes_concern_those_who_have_the_game(world: World) -> None:
    ada, bob, eve = world.admin(), world.person("bob"), world.person("eve")
    doom = imported(world, ada, world.library(ada), "Doom/1.0")
    assert eve.post("/api/v1/collection/default/entry", {"id": doom}).is_success
    [version] = bob.get(f"/api/v1/games/{doom}/versions").json()
    publish(ada)
    publish(ada, "Doom cup", gameId=doom)
    notes = publish(ada, "What is new", versionId=version["id"])
    assert (notes["gameId"], notes["gameName"], notes["versionName"]) == (doom, "Doom", "1.0")
    assert sorted(names(bob, game=doom)) == ["Doom cup", "What is new"]
    refused = [ada.post(ADMIN, {"title": "x", **each}) for each in ({"gameId": "x"}, {"versionId": "x"})]
    refused.append(ada.post(ADMIN, {"title": "x", "versionId": version["id"]}))
    assert [each.json()["type"] for each in refused] == ["game-unknown", "version-unknown", "release-notes-exist"]
    announce(world, ada)
    assert [sorted(titles(each)) for each in (bob, eve)] == [
        ["Doom is available", "Game night"],
        ["2 news articles", "Doom is available"],
    ]
    assert ada.delete(f"/api/v1/admin/game/{doom}").status_code == 204
    assert bob.get(f"{PATH}/{notes['id']}").json()["gameId"] is None


def test_an_article_that_is_deleted_at_once_is_not_announced(world: World) -> None:
    ada, bob = world.admin(), world.person("bob")
    made = ada.post("/api/v1/admin/webhooks", {"url": "http://hooks.invalid/", "eventTypes": ["news.published"]})
    kept, mistake = publish(ada), publish(ada, "Test")
    assert ada.delete(f"{ADMIN}/{mistake['id']}").status_code == 204

    announce(world, ada)
    deliver(world, ada)

    assert titles(bob) == ["Game night"]
    deliveries = ada.get(f"/api/v1/admin/webhooks/{made.json()['webhook']['id']}/deliveries").json()["deliveries"]
    assert len(deliveries) == 1
    assert bob.get("/api/v1/notifications").json()[0]["link"] == f"/news/{kept['id']}"


def test_a_feed_is_private_revocable_and_limited(world: World) -> None:
    ada, bob, nobody = world.admin(), world.person("bob"), world.any_user()
    article = publish(ada, "<b>Cup</b> & \x0b more")
    assert bob.get(FEED).json() == {"created": None}
    first, second = (bob.post(FEED).json()["url"] for _ in range(2))
    read = nobody.get(second)
    assert read.headers["content-type"] == "application/atom+xml"
    feed = fromstring(read.content)
    [entry] = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}{name}") for name in ("id", "title", "summary", "content")] == [
        f"urn:uuid:{article['id']}",
        "<b>Cup</b> &  more",
        "On Friday.",
        "**Karts**",
    ]
    assert nobody.get(second, headers={"If-None-Match": read.headers["etag"]}).status_code == 304
    assert (nobody.get(first).status_code, nobody.get(f"{PATH}/feed/x").status_code) == (404, 404)
    limited = [nobody.get(second).status_code for _ in range(rules.REQUESTS_PER_MINUTE)]
    assert (limited[0], limited[-1]) == (200, 429)
    eves = world.person("eve").post(FEED).json()["url"]
    assert nobody.get(eves).status_code == 200
    assert bob.delete(FEED).status_code == 204
    assert nobody.get(second).status_code == 404
    eve = next(each["id"] for each in ada.get("/api/v1/admin/users").json() if each["username"] == "eve")
    assert ada.patch(f"/api/v1/admin/users/{eve}", {"enabled": False}).is_success
    assert nobody.get(eves).status_code == 404
