"""Pictures of search results: small copies of what providers have, and of nothing else."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from PIL import Image

from loopback import Loopback
from providers import standin as answers
from providers.hostile import HOSTILE
from providers.pcgamingwiki import PCGamingWikiStandIn
from providers.pictures import bomb, svg
from providers.steam import SteamStandIn
from world import Caller, World, running_world

PREVIEW = "/api/v1/admin/import/picture"
# What takes as long as it is let is tested where requests are made.
AT_ONCE = sorted(HOSTILE.keys() - {"bytes without end", "a byte now and then", "nothing for a minute", "a large body"})


@pytest.fixture
def steam() -> Iterator[SteamStandIn]:
    with SteamStandIn() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, database_url: str, steam: SteamStandIn) -> Iterator[World]:
    wanted: dict[str, Any] = {**steam.settings, "metadata_providers": "Steam"}
    with running_world(tmp_path, database_url=database_url, **wanted) as running:
        yield running


@pytest.fixture
def admin(world: World) -> Caller:
    return world.admin()


@pytest.fixture
def address(admin: Caller) -> str:
    """The picture of the first game that a search finds."""
    found = admin.get("/api/v1/admin/import/game/search", params={"q": "Portal"}).json()
    picture: str = found[0]["icon"]
    return picture


def preview(caller: Caller, address: str) -> httpx2.Response:
    return caller.get(PREVIEW, params={"url": address})


def test_previews_are_reduced_in_size(admin: Caller, address: str) -> None:
    shown = preview(admin, address)
    picture = Image.open(io.BytesIO(shown.content))
    assert shown.status_code == 200
    assert shown.headers["content-type"] == "image/webp"
    assert picture.format == "WEBP"
    assert max(picture.size) <= 320


def test_images_of_each_provider_can_be_previewed(tmp_path: Path, database_url: str, steam: SteamStandIn) -> None:
    with PCGamingWikiStandIn() as wiki:
        wanted: dict[str, Any] = {**steam.settings, **wiki.settings, "metadata_providers": "Steam, PCGamingWiki"}
        with running_world(tmp_path, database_url=database_url, **wanted) as world:
            admin = world.admin()
            found = admin.get("/api/v1/admin/import/game/search", params={"q": "Portal"}).json()
            pictures = {each["sourceId"]: each["icon"] for each in found if each["icon"]}
            assert {source: preview(admin, icon).status_code for source, icon in pictures.items()} == {
                "Steam": 200,
                "PCGamingWiki": 200,
            }


def test_previews_are_cached_for_a_day_by_browsers_only(admin: Caller, address: str) -> None:
    assert preview(admin, address).headers["cache-control"] == "private, max-age=86400"


def test_a_preview_is_fetched_from_the_provider_once(admin: Caller, address: str, steam: SteamStandIn) -> None:
    first = preview(admin, address)
    asked = len(steam.requests)
    assert preview(admin, address).content == first.content
    assert len(steam.requests) == asked


def test_only_servers_of_providers_are_contacted(admin: Caller) -> None:
    with Loopback() as other:
        refused = preview(admin, f"{other.address}/picture.jpg")
        assert refused.status_code == 400
        assert refused.json()["type"] == "not-a-provider-image"
        assert other.requests_received == []


@pytest.mark.parametrize(
    "form",
    ["file:///etc/passwd", "ftp://{host}/a.jpg", "http://someone@{host}/a.jpg", "//{host}/a.jpg", "/a.jpg", "", "\n"],
)
def test_only_http_urls_are_accepted(admin: Caller, steam: SteamStandIn, form: str) -> None:
    host = urlsplit(steam.address).netloc
    assert preview(admin, form.format(host=host)).status_code == 400
    assert steam.requests == []


@pytest.mark.parametrize("kind", AT_ONCE)
def test_a_response_that_is_not_an_image_is_reported_as_unavailable(
    admin: Caller, address: str, steam: SteamStandIn, kind: str
) -> None:
    steam.override(urlsplit(address).path, HOSTILE[kind]())
    refused = preview(admin, address)
    assert refused.status_code == 502
    assert refused.json()["type"] == "image-unavailable"
    assert steam.address not in refused.text


@pytest.mark.parametrize("answer", [svg(), bomb(), answers.garbage()])
def test_unusable_images_are_not_shown(
    admin: Caller, address: str, steam: SteamStandIn, answer: answers.Answer
) -> None:
    steam.override(urlsplit(address).path, answer)
    assert preview(admin, address).status_code == 502


def test_errors_are_not_cached(admin: Caller, address: str, steam: SteamStandIn) -> None:
    steam.override(urlsplit(address).path, answers.status(500), times=1)
    assert [preview(admin, address).status_code for _ in range(2)] == [502, 200]


def test_players_cannot_fetch_previews(world: World, admin: Caller, address: str) -> None:
    assert preview(world.person("bob"), address).status_code == 403
