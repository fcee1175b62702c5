"""A service with something of everything, so that no page is empty."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from devices import ask, device
from drawing import png
from drop_client.client import initiate
from games import Release, add_game
from plans import PROGRAM, apply, computed, row_of
from playdock.metadata.game_metadata import (
    AgeRating,
    GameMetadata,
    RatingFact,
    ReleaseDate,
    Role,
    TagFact,
    TagKind,
    Website,
)
from spoiling import corrupt_file, verify_all
from world import Caller, World

TETRIS = GameMetadata(
    "Tetris",
    short="Blocks fall, and you turn them until they fit.",
    description="## Blocks\n\nThey *fall*.\n\n* One\n* Another\n\n[About blocks](https://tetris.example/)",
    released=ReleaseDate(date(1984, 6, 6)),
    developers=("Alexey Pajitnov",),
    publishers=("Elorg", "Nintendo"),
    tags=(TagFact(TagKind.GENRE, "Puzzle"), TagFact(TagKind.THEME, "Abstract")),
    ratings=(RatingFact("Steam", 0.93, 1200),),
    age_ratings=(AgeRating("PEGI", "3"),),
    websites=(Website("official", "https://tetris.example/"),),
)


@dataclass(frozen=True, slots=True)
class Filled:
    """The service, and the ids of what there is to see."""

    world: World = field(repr=False)
    game: str
    damaged: str
    collection: str
    library: str
    row: str
    run: str
    task: str
    user: str
    invitation: str
    code: str
    drop_client: str
    reset: str
    article: str


def fill(world: World) -> Filled:
    admin, bob = world.admin(), world.person("bob")
    library = world.library(admin)
    damaged, task = _damage(world, admin, library)
    run = _import_and_lose(world, admin)
    row = row_of(computed(world, admin), "Hades")
    game = _store(world, admin)
    _remove_a_library(world, admin)
    return Filled(
        world=world,
        game=game,
        damaged=damaged,
        collection=_belongings(world, admin, [game, damaged]),
        library=library["id"],
        row=row["id"],
        run=run["id"],
        task=task,
        user=bob.user["id"],
        invitation=_invite(world),
        code=ask(world, device_name="Ada's other laptop")["user_code"],
        drop_client=initiate(world).text.rpartition("/")[2],
        article=_news_and_requests(admin, bob, game),
        reset=admin.post(f"/api/v1/admin/users/{bob.user['id']}/reset").json()["resetUrl"].partition("id=")[2],
    )


def _news_and_requests(admin: Caller, bob: Caller, game: str) -> str:
    """News with and without a game, and requests in every state; gives an article."""
    text = {
        "description": "Who clears the most rows wins.",
        "content": "## Tetris\n\nOn **Friday**.\n\n* Bring a friend",
    }
    assert admin.post("/api/v1/admin/news", {"title": "The Tetris cup", "gameId": game, **text}).is_success
    article: str = admin.post("/api/v1/admin/news", {"title": "A new disk", **text}).json()["id"]
    uploaded = [("files", ("disk.png", png(640, 360), "image/png"))]
    assert admin.request("POST", f"/api/v1/admin/news/{article}/image", files=uploaded).is_success
    for name, status in (("Portal 3", "open"), ("Half-Life 3", "accepted"), ("A game that nobody knows", "declined")):
        request = bob.post("/api/v1/requests", {"name": name}).json()["id"]
        answer = {"status": status, "comment": "We will see."}
        assert admin.post(f"/api/v1/admin/requests/{request}/answer", answer).is_success
    return article


def _damage(world: World, admin: Caller, library: dict[str, Any]) -> tuple[str, str]:
    """A game with two versions of which one has rotted, and one more to import; with it the task that found out."""
    for version in ("1.0", "1.1", "2.0"):
        world.put(f"Doom/{version}/doom", PROGRAM, mode=0o755)
        world.put(f"Doom/{version}/doom.wad", version.encode() * 9_000)
    game = world.import_game(admin, library, "Doom")
    for version in ("1.0", "1.1"):
        assert world.import_version(admin, game, version, launch="doom")["success"]
    corrupt_file(world.games / "Doom/1.0/doom.wad")
    return game, verify_all(world, admin)["id"]


def _import_and_lose(world: World, admin: Caller) -> dict[str, Any]:
    """A run of which one folder failed; the other is renamed afterwards. One folder each is certain and doubtful."""
    for name in ("Quake", "Half-Life", "Gone"):
        world.put(f"{name}/1.0/{name.lower()}", PROGRAM + name.encode(), mode=0o755)
    world.put("Hades/1.0/data.bin")
    plan = computed(world, admin)
    (world.games / "Gone").rename(world.folder / "gone")
    run = apply(world, admin, rows=[{"id": row_of(plan, name)["id"]} for name in ("Quake", "Gone")])
    assert (run["imported"], run["failed"]) == (1, 1)
    (world.games / "Quake").rename(world.games / "Quake (1996)")
    return run


def _store(world: World, admin: Caller) -> str:
    """A game with everything, featured, among some that have little."""
    for number in range(8):
        add_game(world, GameMetadata(f"A game with a rather long name, part {number}"), versions=[Release()])
    roles = (Role.COVER, Role.BANNER, Role.CAROUSEL, Role.CAROUSEL)
    game = add_game(world, TETRIS, versions=[Release(), Release("2.0", "Windows")], pictures=roles)
    uploaded = [("own.png", ("own.png", png(640, 360), "image/png"))]
    assert admin.request("POST", "/api/v1/admin/game/image", data={"id": game}, files=uploaded).status_code == 201
    assert admin.patch(f"/api/v1/admin/game/{game}", {"featured": True}).status_code == 200
    return game


def _remove_a_library(world: World, admin: Caller) -> None:
    """A library that is about to be removed, with a name that fits no line, and a file that cannot be imported."""
    folder = world.folder / "others"
    folder.mkdir()
    library = world.library(admin, folder)
    changes = {"id": library["id"], "name": "The games that were on the computer in the living room " * 2}
    assert admin.patch("/api/v1/admin/library/sources", changes).is_success
    assert admin.post(f"/api/v1/admin/library/sources/{library['id']}/removal").is_success
    world.put("Tetris.rar")


def _belongings(world: World, admin: Caller, games: list[str]) -> str:
    """What a user has: a library, a collection, a device, a token, a link to download; gives the collection."""
    collection: str = admin.post("/api/v1/collection", {"name": "For rainy days"}).json()["id"]
    for game in games:
        for owned in ("default", collection):
            assert admin.post(f"/api/v1/collection/{owned}/entry", {"id": game}).is_success
    laptop = device(world, admin)
    world.token_of(admin, "user:content:read")
    version = admin.get(f"/api/v1/games/{games[-1]}/versions").json()[0]["id"]
    assert admin.post(f"/api/v1/versions/{version}/links", {"kind": "archive"}).is_success
    _install(admin, laptop, games[-1], version)
    for number, game in enumerate(games):
        _play(admin, laptop, game, hours=10.5 * (number + 1))
    assert admin.request("POST", "/api/v1/admin/server/logo", files={"files": ("logo.png", png(90, 90))}).is_success
    return collection


def _install(admin: Caller, laptop: Caller, game: str, version: str) -> None:
    """A game that a device has reported, and that waits to be installed on it again."""
    report = {"installations": [{"game": game, "version": version}]}
    assert laptop.request("PUT", "/api/v1/client/installations", json=report).is_success
    (own,) = (each["id"] for each in laptop.get("/api/v1/user/client").json() if each["current"])
    assert admin.post(f"/api/v1/user/client/{own}/queue", {"game": game}).is_success


def _play(admin: Caller, laptop: Caller, game: str, *, hours: float) -> None:
    """A game that was played on a device, with a status and a note."""
    run = {"id": game, "game": game, "started": "2026-01-02T03:04:05Z", "seconds": round(hours * 3600)}
    assert laptop.post("/api/v1/user/play-sessions", {"sessions": [run]}).is_success
    noted = {"status": "paused", "note": "The code of the door is 0451."}
    assert admin.request("PATCH", f"/api/v1/user/play-records/{game}", json=noted).is_success


def _invite(world: World) -> str:
    """Invitations of both kinds; gives one."""
    world.invitation(username="carol", is_admin=True)
    return world.invitation()
