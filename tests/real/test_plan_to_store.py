"""From a folder with a real game to a store with pictures, by one plan; the providers are stand-ins on loopback."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from processes.service import Service
from providers.pcgamingwiki import PCGamingWikiStandIn
from providers.standin import StandIn
from providers.steam import SteamStandIn

pytestmark = pytest.mark.both_databases

PLAN = "/api/v1/admin/import/plan"


@pytest.fixture
def standins() -> Iterator[list[StandIn]]:
    with ExitStack() as running:
        yield [running.enter_context(kind()) for kind in (SteamStandIn, PCGamingWikiStandIn)]


def test_a_plan_turns_a_folder_into_a_store_page_with_images(
    service: Service, version: Path, standins: list[StandIn]
) -> None:
    service.more = {name.upper(): value for each in standins for name, value in each.settings.items()}
    service.more["METADATA_PROVIDERS"] = ""
    service.start()
    service.sign_up(service.invitations[0])
    service.add_library(version.parents[1])
    service.finish(service.post(f"{PLAN}/task", {})["taskId"])
    plan = service.get(PLAN)
    row = next(row for row in plan["rows"] if row["game"] == "Teeworlds")
    assert (row["certain"], row["candidates"][0]["sourceId"]) == (True, "Steam"), row

    started = service.post(PLAN, {"certain": True})
    assert service.finish(started["taskId"])["success"]
    for task in service.get("/api/v1/admin/task")["runningTasks"]:
        assert service.finish(task["id"])["success"]

    [card] = service.get("/api/v1/store", params={"q": "teewrolds"})["games"]
    assert (card["name"], card["platforms"]) == ("Teeworlds", ["Linux"])
    page = service.get(f"/api/v1/games/{card['id']}")
    assert page["description"]
    assert [each["name"] for each in page["developers"]] == ["Magnus Auvinen"]
    assert {tag["kind"] for tag in page["tags"]} >= {"genre"}
    pictures = [card["cover"], card["banner"], *page["carousel"]]
    assert all(fetched(service, picture) for picture in pictures)
    [imported] = page["versions"]
    assert service.get(f"/api/v1/versions/{imported['id']}/manifest")["size"] == imported["size"]


def fetched(service: Service, picture: dict[str, Any]) -> bool:
    """Fetch every rendition, and tell whether each is what it is said to be."""
    assert {each["mediaType"] for each in picture["renditions"]} >= {"image/webp"}
    answers = [service.request("GET", f"/api/v1/object/{each['objectId']}") for each in picture["renditions"]]
    return all(
        answer.status_code == 200 and answer.headers["content-type"] == each["mediaType"]
        for answer, each in zip(answers, picture["renditions"], strict=True)
    )
