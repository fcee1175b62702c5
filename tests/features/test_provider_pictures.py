"""Pictures of providers: offered by all that know a game, and used although a refresh would choose another one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import httpx2
import pytest
from msgspec.structs import replace

from drawing import png
from games import add_game
from playdock.fetching.requests import Deadline
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, ReleaseDate, Role
from playdock.metadata.providers import Capability, Manual, Providers
from providers.pictures import bomb
from shops import FakeProvider
from world import Caller, World, at_once, running_world

COVER, BANNER, SHOT = (
    ImageOffer(Role.COVER, "https://near.example/cover.png"),
    ImageOffer(Role.BANNER, "https://near.example/banner.png"),
    ImageOffer(Role.CAROUSEL, "https://near.example/shot.png"),
)
OTHER_COVER = ImageOffer(Role.COVER, "https://far.example/cover.png", "Bea")
LOGO = ImageOffer(Role.LOGO, "https://artists.example/logo.png", "Cyd")
HUGE = ImageOffer(Role.ICON, "https://near.example/huge.png")
GONE = ImageOffer(Role.ICON, "https://near.example/gone.png")
OLD = GameMetadata("Doom", external_ids={"Near": "n1"})


@dataclass
class Artists(FakeProvider):
    """A provider of pictures for games of others, found by their ids."""

    capabilities: frozenset[Capability] = frozenset((Capability.PICTURES,))
    asked_for: list[GameMetadata] = field(default_factory=list)

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:
        self._fail()
        self.asked_for.append(game)
        return [LOGO]


@dataclass
class Shops:
    """A world with three providers, of which one knows the game only by its name."""

    world: World
    near: FakeProvider
    far: FakeProvider
    artists: Artists


@pytest.fixture
def shops(database_url: str, tmp_path: Path) -> Iterator[Shops]:
    files = {each.address: png(color=(number, 2, 3)) for number, each in enumerate((COVER, BANNER, SHOT, OTHER_COVER))}
    huge = bomb().body
    assert isinstance(huge, bytes)
    files |= {HUGE.address: huge, LOGO.address: png(640, 320)}
    near = FakeProvider("Near", {"n1": GameMetadata("Doom", pictures=(COVER, BANNER, SHOT, HUGE, GONE))}, files)
    far = FakeProvider("Far", {"f1": GameMetadata("DOOM", pictures=(OTHER_COVER,))}, files)
    artists = Artists("Artists", {}, files)
    providers = Providers([near, far, artists, Manual()])
    with running_world(tmp_path, database_url=database_url, providers=providers) as world:
        yield Shops(world, near, far, artists)


def address_of(game: str) -> str:
    return f"/api/v1/admin/game/{game}/provider-pictures"


def use(caller: Caller, game: str, offer: ImageOffer, **other: str) -> httpx2.Response:
    return caller.post(address_of(game), {"role": offer.role, "address": offer.address, **other})


def details(admin: Caller, game: str) -> dict[str, Any]:
    found: dict[str, Any] = admin.get(f"/api/v1/admin/game/{game}").json()
    return found


def test_all_providers_that_know_the_game_offer_pictures(shops: Shops) -> None:
    admin, game = shops.world.admin(), add_game(shops.world, OLD)

    listed = admin.get(address_of(game)).json()

    offered = [(each["sourceName"], each["role"], each["address"]) for each in listed["pictures"]]
    near = [("The Near", each.role, each.address) for each in (COVER, BANNER, SHOT, HUGE, GONE)]
    assert offered == [
        *near,
        ("The Far", "cover", OTHER_COVER.address),
        ("The Artists", "logo", LOGO.address),
    ]
    assert [each["credit"] for each in listed["pictures"]][-2:] == ["Bea", "Cyd"]
    assert listed["failed"] == []
    assert (shops.near.searched, shops.far.searched) == ([], ["Doom"])
    assert shops.artists.asked_for[0].external_ids["Near"] == "n1"


def test_of_several_games_with_the_name_the_one_of_the_year_is_meant(shops: Shops) -> None:
    new, old = (f"https://far.example/{name}.png" for name in ("new", "old"))
    shops.far.games = {
        "f2": GameMetadata("Doom", released=_in(2016), pictures=(ImageOffer(Role.COVER, new),)),
        "f1": GameMetadata("Doom", released=_in(1993), pictures=(ImageOffer(Role.COVER, old),)),
        "f3": GameMetadata("Doom 3", pictures=(ImageOffer(Role.COVER, "https://far.example/3.png"),)),
    }
    admin, game = shops.world.admin(), add_game(shops.world, replace(OLD, released=_in(1993)))

    listed = admin.get(address_of(game)).json()["pictures"]

    assert [each["address"] for each in listed if each["sourceName"] == "The Far"] == [old]


def test_a_provider_that_fails_is_named_and_hides_no_other(shops: Shops) -> None:
    admin, game = shops.world.admin(), add_game(shops.world, OLD)
    shops.far.fault = "it is closed"

    listed = admin.get(address_of(game)).json()

    assert {each["sourceName"] for each in listed["pictures"]} == {"The Near", "The Artists"}
    assert [(each["sourceName"], "it is closed" in each["reason"]) for each in listed["failed"]] == [("The Far", True)]


def test_a_chosen_picture_is_used_and_kept_when_the_game_is_refreshed(shops: Shops) -> None:
    admin, game = shops.world.admin(), add_game(shops.world, OLD, pictures=(Role.COVER,))
    used = use(admin, game, OTHER_COVER)
    started = admin.post(f"/api/v1/admin/game/{game}/refresh", {"sourceId": "Near", "id": "n1"}).json()
    shops.world.finish(admin, started["taskId"])

    found = details(admin, game)

    assert (used.status_code, used.json()["source"], used.json()["credit"]) == (201, "Far", "Bea")
    assert (found["cover"], found["sources"]["cover"]) == (used.json()["id"], "Manual")
    assert found["sources"]["banner"] == "Near"
    assert next(each for each in found["pictures"] if each["id"] == found["cover"])["address"] == OTHER_COVER.address


def test_screenshots_are_appended_and_a_picture_is_stored_once(shops: Shops) -> None:
    admin, game = shops.world.admin(), add_game(shops.world, OLD, pictures=(Role.CAROUSEL,))
    before = details(admin, game)["carousel"]

    first, again = use(admin, game, SHOT), use(admin, game, SHOT)

    assert first.json() == again.json()
    assert details(admin, game)["carousel"] == [*before, first.json()["id"]]


def test_two_administrators_choose_the_same_picture_at_the_same_time(shops: Shops) -> None:
    admin, game = shops.world.admin(), add_game(shops.world, OLD)

    answers = at_once([lambda: use(admin, game, COVER)] * 2)

    assert [each.status_code for each in answers] == [201, 201]
    found = details(admin, game)
    assert found["cover"] in {each.json()["id"] for each in answers}
    for each in found["pictures"]:
        assert admin.get(f"/api/v1/object/{each['id']}").status_code == 200


@pytest.mark.parametrize(
    ("offer", "status", "error"),
    [
        (ImageOffer(Role.COVER, "http://127.0.0.1:1/latest"), 404, "picture-not-offered"),
        (ImageOffer(Role.COVER, "file:///etc/passwd"), 404, "picture-not-offered"),
        (ImageOffer(Role.BANNER, COVER.address), 404, "picture-not-offered"),
        (HUGE, 502, "picture-not-usable"),
        (GONE, 502, "picture-not-usable"),
    ],
)
def test_only_offered_pictures_are_downloaded(shops: Shops, offer: ImageOffer, status: int, error: str) -> None:
    admin, game = shops.world.admin(), add_game(shops.world, OLD, pictures=(Role.COVER,))
    before = details(admin, game)

    refused = use(admin, game, offer)

    assert (refused.status_code, refused.json()["type"]) == (status, error)
    assert details(admin, game) == before


def test_only_administrators_choose_pictures_of_existing_games(shops: Shops) -> None:
    admin, bob, game = shops.world.admin(), shops.world.person("bob"), add_game(shops.world, OLD)

    assert bob.get(address_of(game)).status_code == 403
    assert use(bob, game, COVER).status_code == 403
    assert admin.get(address_of("none")).status_code == 404
    assert use(admin, "none", COVER).status_code == 404


def _in(year: int) -> ReleaseDate:
    return ReleaseDate(date(year, 5, 1))
