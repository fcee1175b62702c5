"""``playdock migrate``: from another server's database to a service that people can use."""

import io
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PIL import Image
from psycopg.types.json import Jsonb
from sqlalchemy import func, select

from drop_client import test_depot
from drop_client.arcade import Arcade, same
from drop_client.client import sign_in
from other_servers import drop, gamevault, romm
from playdock.features.moving_in import queries
from playdock.models import Base, MovedRow, SignInMethod, User
from saving import content_of, saves
from waiting import wait_until
from world import Caller, World

from .conftest import Prompt, is_sentence
from .moving import migrate, prompt_of


@pytest.fixture
def household(address: str) -> Iterator[drop.DropDatabase]:
    with closing(drop.household(address, release="0.3")) as database:
        yield database


def _objects(folder: Path) -> Path:
    """Make the folder in which Drop stores images."""
    (folder / "objects").mkdir(parents=True)
    for name, size in (("portrait", (64, 64)), ("cover", (600, 900))):
        drawn = io.BytesIO()
        Image.new("RGB", size, (120, 40, 200)).save(drawn, "PNG")
        (folder / "objects" / name).write_bytes(drawn.getvalue())
    for name, content in drop.SAVES.items():
        (folder / "objects" / f"{name}-0").write_bytes(content)
    return folder


def _rows(world: World) -> dict[str, int]:
    """Return how many rows each table has that a move adds to."""
    names = "users libraries games versions companies tags tokens collections collection_entries invitations pictures"
    with world.services.db.read() as session:
        tables = Base.metadata.tables
        counted = (*names.split(), "play_sessions", "play_records", "saved_games")
        return {name: session.scalar(select(func.count()).select_from(tables[name])) or 0 for name in counted}


def _versions(caller: Caller, game: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(f"/api/v1/games/{game}/versions").json()
    return found


def test_a_household_moves_in_from_drop(embedded_world: World, household: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    drop.library(world.games)
    objects = _objects(world.folder / "drop")

    planned = migrate(prompt, household.address, "--plan")
    assert (planned.status, _rows(world)["users"]) == (0, 0), planned.err
    for line in (
        r"users +4 +4 +0 +0",
        r"games +3 +2 +0 +1",
        r"versions +3 +3 +0 +0",
        r"games in collections +4 +3 +0 +1",
        r"play sessions +1 +1 +0 +0",
        r"\* User carla\.m: becomes carlam: .+",
        r"\* User carla\.m: has no password .+ reset link\.",
        r"\* Game Gone: its folder or archive gone is not in the library\.",
    ):
        assert re.search(f"^{line}$", planned.out, re.MULTILINE), planned.out

    moved = migrate(prompt, household.address, "--objects", str(objects))
    assert "saved games: 2" in moved.out
    assert moved.status == 0, moved.err
    report = next(world.services.settings.data_dir.glob("migration-drop-*.txt"))
    assert str(report) in moved.out
    guessed = "is imported with a likely program instead of not-there -w 'a b', which is not in its files."
    assert f"Version 1993 of Doom: {guessed}" in moved.out
    assert report.stat().st_mode & 0o777 == 0o600

    ada = world.with_token(world.sign_in("ada", drop.PASSWORD).json()["accessToken"])
    bob = world.with_token(world.sign_in("bob", drop.PASSWORD).json()["accessToken"])
    _people_can_use_it(world, ada, bob)
    _programs_go_on(world, moved.out)
    # Otherwise it would notice only after some seconds what another process has enqueued.
    world.services.version_imports.notify_runner()
    assert [content_of(bob, each["id"]) for each in saves(bob)] == [b"chamber 2", b"chamber 1"]
    _games_are_as_they_were(ada)
    _drop_clients_install(world, ada)
    _carla_sets_a_password(world, moved.out)

    before = _rows(world)
    again = migrate(prompt, household.address)
    assert "Nothing was added" in again.out
    assert "* User carla.m: is carlam here.\n" in migrate(prompt, household.address, "--plan").out
    assert "auth/reset" not in again.out
    assert _rows(world) == before

    shown = prompt.run("migrate", "drop", "--undo", "--plan")
    assert (shown.status, _rows(world)) == (0, before)
    assert "* users: 4\n" in shown.out
    undone = prompt.run("migrate", "drop", "--undo")
    assert undone.status == 0, undone.err
    assert set(_rows(world).values()) == {0}
    assert is_sentence(prompt.run("migrate", "drop", "--undo").err)


def _people_can_use_it(world: World, ada: Caller, bob: Caller) -> None:
    assert ada.get("/api/v1/user").json()["admin"] is True
    assert bob.get("/api/v1/user").json()["admin"] is False
    assert world.sign_in("dora", drop.PASSWORD).json()["type"] == "account-disabled"
    with world.services.db.read() as session:
        hashes = session.execute(
            select(User.username, SignInMethod.secret).join(SignInMethod, SignInMethod.user_id == User.id)
        )
        # Those of who has signed in are Argon2id with the parameters of this service.
        assert {name for name, secret in hashes if secret and "p=1$" in secret} >= {"ada", "bob"}
    assert world.sign_in("bob", drop.PASSWORD).status_code == 200
    assert world.sign_in("bob", drop.PASSWORD + "!").status_code == 401
    invited = world.any_user().get(f"/api/v1/auth/signup/simple?id={drop.INVITATION}").json()
    assert invited["username"] == "eve"


def _programs_go_on(world: World, report: str) -> None:
    script, server = (world.with_token(drop.TOKENS[name]) for name in ("ada", "all"))
    assert script.get("/api/v1/token").json() == ["user:store:read"]
    assert script.get("/api/v1/store").status_code == 200
    assert script.get("/api/v1/user").status_code == 403
    assert server.get("/api/v1/admin/import/game").status_code == 200
    assert world.with_token(drop.TOKENS["bob"]).get("/api/v1/token").status_code == 401
    assert world.with_token("client").get("/api/v1/token").status_code == 401
    assert re.search(r"API token For ada: belongs to ada .+ Without the permissions user:news:purge,", report)
    assert "API token For bob: has no permissions that exist here, and is left out." in report
    assert re.search(r"API token For all: belongs to ada and expires on 20..-..-..\.", report)


def _games_are_as_they_were(ada: Caller) -> None:
    games = {each["game"]["mName"]: each["game"]["id"] for each in ada.get("/api/v1/admin/library").json()["games"]}
    assert set(games) == {"Portal", "Doom"}
    wait_until(lambda: len(_versions(ada, games["Portal"])) == 2 and len(_versions(ada, games["Doom"])) == 1)
    newest = _versions(ada, games["Portal"])[-1]
    assert (newest["name"], newest["launch"], newest["launchArgs"]) == ("1.1", "game", "-w 'a b'")
    assert _versions(ada, games["Doom"])[0]["launch"] == "doom.exe"
    portal = ada.get(f"/api/v1/games/{games['Portal']}").json()
    assert (portal["featured"], [each["name"] for each in portal["developers"]]) == (True, ["Valve"])
    assert (portal["externalIds"], portal["cover"]["source"]) == ({"Steam": "400"}, "Steam")
    mine = ada.get("/api/v1/collection/default").json()
    assert [each["game"]["id"] for each in mine["entries"]] == [games["Portal"]]
    assert [(each["gameId"], each["seconds"], each["lastPlayed"]) for each in _played(ada)] == [
        (games["Portal"], 3600, "2026-01-02T03:04:05.000Z")
    ]


def _played(caller: Caller) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get("/api/v1/user/play-records").json()
    return found


def _drop_clients_install(world: World, ada: Caller) -> None:
    """Let a client of Drop 0.3 and one of Drop 0.4 find the game of their user, install it and update it."""
    client, folder = sign_in(world, ada), world.folder / "installed"
    (portal,) = client.get("/api/v1/client/user/library")
    arcade = Arcade(world, ada, ada, client, {}, portal["id"])
    ids = test_depot.version_ids(arcade)
    for version, previous in (("1.0", ""), ("1.1", ids["1.0"])):
        client.install(portal["id"], version, folder / "0.3")
        same(folder / "0.3", world.games / "portal" / version)
        test_depot.install(arcade, ids[version], folder / "0.4", previous)
        same(folder / "0.4", world.games / "portal" / version)


def _carla_sets_a_password(world: World, out: str) -> None:
    link = re.search(r"carlam: (\S+/auth/reset\?id=\S+)", out)
    assert link
    body = {"id": link[1].partition("id=")[2], "password": "another good phrase"}
    assert world.any_user().post("/api/v1/auth/reset/simple", body).status_code == 204
    assert world.sign_in("carlam", "another good phrase").status_code == 200


def test_people_of_the_same_openid_provider_sign_in_as_before(
    embedded_world: World, household: drop.DropDatabase
) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    unlinked = migrate(prompt, household.address, "--plan").out
    assert "OpenID accounts: 1 are not linked." in unlinked

    moved = migrate(prompt, household.address, "--openid-issuer", "https://id.example.org")

    assert "auth/reset" not in moved.out
    with world.services.db.read() as session:
        statement = select(User.username, SignInMethod.subject).join(SignInMethod, SignInMethod.user_id == User.id)
        subjects = {name: subject for name, subject in session.execute(statement) if subject}
    assert subjects == {"carlam": "https://id.example.org carla"}


@dataclass(frozen=True, slots=True)
class _OtherServer:
    """A server, what it is called, where it sees its games, their programs, and a user with a game in the library."""

    module: ModuleType
    kind: str
    folder: str
    launches: dict[str, str]
    user: str
    game: str
    played: tuple[int, str, str]


_OTHERS = [
    _OtherServer(
        *(gamevault, "gamevault", "/files", {"Half-Life": "hl.exe", "Tux": "tux.exe"}, "alyx", "Half-Life"),
        played=(5400, "finished", ""),
    ),
    _OtherServer(
        *(romm, "romm", "/romm/library", {"Portal": "portal.exe"}, "chell", "Portal"),
        played=(150, "completed", "Cake\nIt is a lie.\n\nRoom 7"),
    ),
]


@pytest.mark.parametrize("other", _OTHERS, ids=lambda other: other.kind)
def test_people_and_games_move_in_from_other_servers(embedded_world: World, other: _OtherServer) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    other.module.library(world.games)
    address = f"sqlite:///{world.folder}/other.sqlite"
    other.module.household(address)
    options = ("migrate", other.kind, "--from", address, "--map", f"{other.folder}={world.games}")

    moved = prompt.run(*options)

    assert moved.status == 0, moved.err
    assert "is not" not in moved.out
    world.services.version_imports.notify_runner()
    caller = world.with_token(world.sign_in(other.user, drop.PASSWORD).json()["accessToken"])
    wait_until(lambda: _launches(caller) == other.launches)
    mine = caller.get("/api/v1/collection/default").json()
    assert [each["game"]["name"] for each in mine["entries"]] == [other.game]
    assert [(each["seconds"], each["status"], each["note"]) for each in _played(caller)] == [other.played]
    assert "Nothing was added" in prompt.run(*options).out
    assert prompt.run("migrate", other.kind, "--undo").status == 0
    assert set(_rows(world).values()) == {0}


def _launches(caller: Caller) -> dict[str, str]:
    """Return the programs of the games that have versions, by name."""
    games = caller.get("/api/v1/store").json()["games"]
    return {each["name"]: version["launch"] for each in games for version in _versions(caller, each["id"])}


class _InterruptedError(BaseException):
    """The process is killed."""


def test_a_move_that_was_interrupted_anywhere_is_continued(
    embedded_world: World, household: drop.DropDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    drop.library(world.games)
    record, calls = queries.add, 0

    def interrupted(*values: Any, **named: Any) -> bool:
        """Die before the fourth row of a run, so before the commit; one transaction writes up to three."""
        nonlocal calls
        calls += 1
        if calls > 3:
            raise _InterruptedError
        return record(*values, **named)

    runs = 0
    monkeypatch.setattr(queries, "add", interrupted)
    while runs < 20:
        calls, runs = 0, runs + 1
        try:
            assert migrate(prompt, household.address).status == 0
        except _InterruptedError:
            continue
        break
    assert 3 < runs < 20
    assert {**_rows(world), "versions": 0} == {
        "users": 4,
        "libraries": 1,
        "games": 2,
        "collections": 2,
        "collection_entries": 3,
        "invitations": 1,
        "tokens": 2,
        "companies": 1,
        "tags": 1,
        "pictures": 0,
        "play_sessions": 1,
        "play_records": 0,
        "saved_games": 0,
        "versions": 0,  # they are still being imported
    }
    with world.services.db.read() as session:
        # Users, one reset, the library, games, versions, one collection that is not the default, entries, invitation,
        # play record, tokens, a company and a tag.
        assert session.scalar(select(func.count()).select_from(MovedRow)) == 4 + 1 + 1 + 2 + 3 + 1 + 3 + 1 + 1 + 2 + 2


@pytest.mark.heavy
def test_a_move_and_its_undo_that_are_killed_are_continued(settled: Prompt, household: drop.DropDatabase) -> None:
    drop.library(settled.folder / "games")
    for number in range(60):
        household.user(f"player{number}", mec="Simple", version=2, credentials=Jsonb(drop.ARGON2))
    words = ("migrate", "drop", "--from", household.address, "--map", f"/library={settled.folder}/games")
    for command, counted in ((words, 64), (("migrate", "drop", "--undo"), 0)):
        # Starting takes about a second; the moves together about two.
        for seconds in (1.2, 1.5, 1.8, 2.1, 2.4, 2.7):
            process = settled.start(*command)
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
            process.kill()
            process.communicate()
        ended = settled.run(*command)
        assert ended.status == 0 or "Nothing was moved" in ended.err, ended.err
        services = settled.services()
        with closing(services.db), services.db.read() as session:
            assert session.scalar(select(func.count()).select_from(User)) == counted
            recorded = session.scalar(select(func.count()).select_from(MovedRow))
            assert (recorded == 0) is (counted == 0)


def test_what_was_here_before_is_kept(embedded_world: World, household: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    drop.library(world.games)
    ada = world.admin("ada")
    library = world.library(ada)
    portal = world.import_game(ada, library, "portal")
    run = {"id": "a", "game": portal, "started": "2026-02-02T03:04:05Z", "seconds": 60}
    assert ada.post("/api/v1/user/play-sessions", {"sessions": [run]}).is_success
    before = _rows(world)

    moved = migrate(prompt, household.address)

    assert moved.status == 0, moved.err
    assert [each["seconds"] for each in _played(ada)] == [3660]
    assert _rows(world)["libraries"] == 1
    assert "User ada: exists here" in next(world.services.settings.data_dir.glob("migration-*")).read_text()
    assert len(ada.get("/api/v1/collection/default").json()["entries"]) in (0, 1)
    assert prompt.run("migrate", "drop", "--undo").status == 0
    # The default collection of ada was created by the move, but is hers.
    assert _rows(world) == {**before, "collections": 1}
    assert ada.get("/api/v1/user").status_code == 200


def test_an_undo_keeps_an_administrator(embedded_world: World, household: drop.DropDatabase) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    assert migrate(prompt, household.address).status == 0
    world.person("frank")
    refused = prompt.run("migrate", "drop", "--undo")
    assert is_sentence(refused.err)
    assert "administrator" in refused.err
    assert _rows(world)["users"] == 5


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--from", "nonsense"), "--from"),
        (("--from", "sqlite:////does/not/exist.sqlite"), "cannot be read"),
        (("--from", "postgresql://nobody@127.0.0.1:1/drop"), "cannot be read"),
        (("--from", "sqlite:////tmp/x", "--map", "/a=b"), "--map /a=b"),
    ],
)
def test_invalid_options_are_named(settled: Prompt, options: tuple[str, ...], named: str) -> None:
    refused = settled.run("migrate", "drop", *options)
    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert named in refused.err


@pytest.mark.parametrize("options", [("--from", "sqlite:////tmp/x"), ("--objects", "/tmp"), ("--map", "/a=/b")])
def test_an_undo_does_not_take_options_of_a_move(settled: Prompt, options: tuple[str, ...]) -> None:
    refused = settled.run("migrate", "drop", "--undo", *options)
    assert refused.status == 2
    assert "--undo only takes --plan" in refused.err


def test_the_url_of_the_database_can_be_a_variable(settled: Prompt) -> None:
    url = {"PLAYDOCK_MIGRATE_FROM": "sqlite:////does/not/exist.sqlite"}
    assert "cannot be read" in settled.run("migrate", "drop", "--plan", **url).err
    assert "Nothing was moved" in settled.run("migrate", "drop", "--undo", **url).err


def test_another_database_is_refused(settled: Prompt) -> None:
    refused = settled.run("migrate", "drop", "--from", settled.environment["DATABASE_URL"])
    assert is_sentence(refused.err)
    assert "not a database of Drop" in refused.err
