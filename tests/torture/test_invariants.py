"""Every invariant of a fault-injection run can fail: it finds what is missing from a deliberately damaged state."""

import copy
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from shutil import copytree, rmtree

import pytest
from msgspec import Struct
from msgspec.structs import replace

from databases import SqliteDatabases
from playdock.db.database import Database
from playdock.kit.clock import utc_now
from playdock.kit.secret_key import Purpose
from spoiling import corrupt_file
from torture import consistency, games, invariants
from torture.acknowledged import Changed, ChangeSent, Invited, Journal, SignUpSent, TaskStarted
from torture.connection import Connection, Responses
from torture.consistency import no_task_is_stuck
from torture.games import Release
from torture.invariants import Examination
from torture.served import Served, WrongBytes
from torture.workload import KINDS, Client, Guests, Illustrators, Importers, Players
from world import Caller, World, running_world

GAME = games.game_name(1)
OLD, NEW = Release(GAME, "1.0"), Release(GAME, "1.1")
ELSEWHERE = "00000000-0000-4000-8000-000000000000"


class Scene(Struct):
    """A service that has acknowledged something of everything."""

    world: World
    examination: Examination

    @property
    def journal(self) -> Journal:
        return self.examination.journal

    @property
    def user(self) -> str:
        return next(iter(self.journal.state.accounts))

    def execute(self, statement: str, **values: str | None) -> None:
        """Change the database without checking foreign keys."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            connection.execute(statement.format(user=self.user), values)

    def blobs(self, kind: str) -> list[Path]:
        return [path for path in self.examination.objects.glob(f"{kind}/*/*") if path.is_file()]

    @property
    def database(self) -> Path:
        return self.world.folder / "data/playdock.sqlite3"

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Restore the database, the storage and what was acknowledged afterwards."""
        kept, state = self.world.folder / "kept", copy.deepcopy(self.journal.state)
        copytree(self.examination.objects, kept)
        with closing(sqlite3.connect(":memory:")) as saved, closing(sqlite3.connect(self.database)) as live:
            live.backup(saved)
            try:
                yield
            finally:
                saved.backup(live)
                rmtree(self.examination.objects)
                kept.rename(self.examination.objects)
                self.journal.state = state


@pytest.fixture(scope="module")
def scene(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("torture")
    with (
        running_world(folder, database_url=sqlite_databases.fresh(folder / "data")) as world,
        closing(Journal(folder / "journal.jsonl")) as journal,
        closing(Database(str(world.services.db.url))) as database,
    ):
        admin = world.admin("admin")
        clients = [kind(world.address, journal, Random(1), Responses()) for kind in KINDS]
        for client in clients:
            client.admin.token = admin.token
        yield _acknowledge(world, admin, clients, database)
        for client in clients:
            client.close()


def _acknowledge(world: World, admin: Caller, clients: Sequence[Client], database: Database) -> Scene:
    """Let clients sign up, change an account, import two versions with patches between them, and upload an image."""
    by_kind = {type(client): client for client in clients}
    importers, journal, connection = by_kind[Importers], clients[0].journal, clients[0].admin
    assert isinstance(importers, Importers)
    importers.library, importers.library_id = world.games, world.library(admin)["id"]
    by_kind[Guests].step()
    by_kind[Players].step()
    importers.import_game(GAME)
    _finish(world, connection)
    for release in (OLD, NEW):
        importers.import_version(release)
        _finish(world, connection)
    examination = Examination(
        connection, database, world.services.settings.objects_dir, journal, Random(1), set(), thorough=True
    )
    assert list(invariants.tasks_succeed(examination)) == []
    by_kind[Illustrators].step()
    return Scene(world, examination)


def _finish(world: World, admin: Connection) -> None:
    while running := admin.get("/api/v1/admin/task")["runningTasks"]:
        world.finish(world.with_token(admin.token), running[0]["id"])


def _race(scene: Scene) -> None:
    """Let two users appear to have redeemed one invitation."""
    invitation = next(iter(scene.journal.state.invitations))
    scene.journal.state.invitations[invitation] |= {"admin": ""}


def _still_valid(scene: Scene) -> None:
    invitation = next(iter(scene.journal.state.invitations))
    stored = scene.world.services.secret_key.encrypt(invitation, Purpose.INVITATION)
    scene.execute(
        "INSERT INTO invitations (id, is_admin, expires, created)"
        f" VALUES ('{stored}', 0, '2100-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000')"
    )


def _gone(scene: Scene) -> None:
    scene.journal.state.apply(Invited(ELSEWHERE))
    scene.journal.state.apply(SignUpSent(ELSEWHERE, "nobody", ""))


def _change(kind: str, change: Callable[[Path], object]) -> Callable[[Scene], None]:
    """Return a function that changes all blobs of a kind."""

    def damage(scene: Scene) -> None:
        for path in scene.blobs(kind):
            change(path)

    return damage


def _delete(kind: str) -> Callable[[Scene], None]:
    return _change(kind, Path.unlink)


def _run(statement: str) -> Callable[[Scene], None]:
    return lambda scene: scene.execute(statement)


def _lose_task(scene: Scene) -> None:
    scene.journal.state.tasks[ELSEWHERE] = TaskStarted(ELSEWHERE, "version", GAME, "1.0")


def _fail_task(scene: Scene) -> None:
    [(task, *_)] = scene.examination.query("SELECT id FROM tasks WHERE task_group = 'import:game'")
    scene.journal.state.tasks[task] = TaskStarted(task, "game", GAME)
    scene.execute("UPDATE tasks SET success = 0, error_title = 'Storage fault', error_detail = 'It failed.'")


def _forget_change(scene: Scene) -> None:
    scene.journal.state.apply(Changed(scene.user, "displayName", "Someone else"))


DAMAGE = {
    "a user is missing": (
        invariants.users_are_as_acknowledged,
        _run("DELETE FROM users WHERE username = '{user}'"),
        "signed up and is missing",
    ),
    "an account change is lost": (
        invariants.users_are_as_acknowledged,
        _forget_change,
        "instead of 'Someone else'",
    ),
    "a password is lost": (
        invariants.users_can_sign_in,
        _run(
            "UPDATE sign_in_methods SET secret = (SELECT max(secret) FROM sign_in_methods WHERE user_id ="
            " (SELECT id FROM users WHERE username = 'admin'))"
        ),
        "cannot sign in",
    ),
    "the bytes of a profile picture are missing": (
        invariants.profile_pictures_are_served,
        _delete("objects"),
        "The picture of",
    ),
    "the bytes of a profile picture are others": (
        invariants.profile_pictures_are_served,
        _change("objects", corrupt_file),
        "has other bytes than were stored",
    ),
    "an invitation is redeemed twice": (invariants.invitations_are_redeemed_once, _race, "was redeemed 2 times"),
    "an invitation remains valid": (invariants.invitations_are_redeemed_once, _still_valid, "is still valid"),
    "an invitation is used up by nobody": (invariants.invitations_are_redeemed_once, _gone, "none of its users"),
    "a task is missing": (invariants.tasks_succeed, _lose_task, "was started and is missing"),
    "a task has failed": (invariants.tasks_succeed, _fail_task, "It failed."),
    "a game is missing": (invariants.games_are_listed, _run("DELETE FROM games"), f"{GAME} was imported"),
    "a version is missing": (
        invariants.games_are_listed,
        _run("DELETE FROM versions WHERE name = '1.1'"),
        f"1.1 of {GAME} was imported",
    ),
    "a version is not listed": (
        invariants.versions_are_downloadable,
        _run("DELETE FROM versions WHERE name = '1.1'"),
        "is not listed",
    ),
    "a manifest is missing": (invariants.versions_are_downloadable, _delete("manifests"), "manifest-missing"),
    "an image is missing": (invariants.images_are_served, _run("DELETE FROM pictures"), "uploaded and is missing"),
    "the bytes of an image are missing": (invariants.images_are_served, _delete("objects"), "object-unknown"),
    "a file is reported as damaged": (
        invariants.no_version_is_damaged,
        _run(
            "INSERT INTO damages (version_id, path, fault, found)"
            " SELECT id, 'start.sh', 'changed', created FROM versions"
        ),
        "start.sh (changed)",
    ),
    "the service is ill": (
        invariants.health_is_good,
        _run("UPDATE users SET enabled = 0"),
        "PATCH /api/v1/user: 4",
    ),
    "a row refers to a missing one": (
        consistency.database_is_intact,
        _run("UPDATE versions SET game_id = 'nowhere'"),
        "refers to a missing row of games",
    ),
    "a user has no way to sign in": (
        consistency.no_row_is_orphaned,
        _run("DELETE FROM sign_in_methods"),
        "has no sign-in method",
    ),
    "an object of a user has no row": (
        consistency.no_row_is_orphaned,
        _run("DELETE FROM objects WHERE id IN (SELECT picture_id FROM users)"),
        "of the user admin has no row",
    ),
    "an object of an image has no row": (
        consistency.no_row_is_orphaned,
        _run("DELETE FROM objects WHERE id NOT IN (SELECT picture_id FROM users)"),
        "of the image",
    ),
    "an object belongs to nothing": (
        consistency.no_row_is_orphaned,
        _run("DELETE FROM pictures"),
        "belongs to nothing",
    ),
    "a layer is missing": (consistency.stored_bytes_exist, _delete("layers"), "The storage lacks layers/"),
    "patches are missing": (consistency.stored_bytes_exist, _delete("patches"), "The storage lacks patches/"),
    "a list of patches is missing": (consistency.stored_bytes_exist, _delete("patchlists"), "lacks patchlists/"),
    "an object is incomplete": (
        consistency.stored_bytes_exist,
        _change("objects", lambda path: path.write_bytes(b"")),
        "has 0 bytes in the storage",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_an_invariant_finds_damage(scene: Scene, name: str) -> None:
    invariant, damage, expected = DAMAGE[name]
    intact = list(invariant(scene.examination))
    with scene.restored():
        damage(scene)
        found = list(invariant(scene.examination))

    assert intact == []
    assert any(expected in violation for violation in found), found


@pytest.mark.parametrize(
    ("due", "worker", "leased"),
    [("-1 day", None, None), ("+1 day", None, None), ("-1 day", "elsewhere:0:0:0", "-1 hour")],
    ids=["nobody claims it", "it is due too late", "its runner has died"],
)
def test_a_stuck_task_is_found(scene: Scene, due: str, worker: str | None, leased: str | None) -> None:
    with scene.restored():
        intact = list(no_task_is_stuck(scene.examination, now=utc_now()))
        scene.execute(
            "UPDATE tasks SET queue = 'unknown', ended = NULL, success = 0, subject = id,"
            " due = datetime('now', :due), worker_id = :worker, leased_until = datetime('now', :leased)"
            " WHERE task_group = 'import:game'",
            due=due,
            worker=worker,
            leased=leased,
        )
        found = list(no_task_is_stuck(scene.examination, now=utc_now(), seconds=0.1))

    assert intact == []
    assert [("import:game" in each, "nothing works on it" in each) for each in found] == [(True, True)]


@pytest.mark.parametrize(
    ("retries", "due", "behind", "stuck"),
    [("5", "+100 seconds", 0, 0), ("0", "+100 seconds", 0, 0), ("0", "-50 seconds", 60, 0), ("0", "-50 seconds", 0, 1)],
    ids=["it is tried again", "it is postponed", "all clocks are behind", "it is due"],
)
def test_a_task_that_is_delayed_is_not_stuck(scene: Scene, retries: str, due: str, behind: int, stuck: int) -> None:
    with scene.restored():
        scene.execute(
            "UPDATE tasks SET queue = 'unknown', ended = NULL, success = 0, subject = id, retries = :retries,"
            " created = datetime('now', '-1 hour'), due = datetime('now', :due) WHERE task_group = 'import:game'",
            retries=retries,
            due=due,
        )
        clocks = {"node1": timedelta(seconds=behind), "node2": timedelta(seconds=120)}
        found = list(no_task_is_stuck(scene.examination, now=utc_now(), behind=clocks, seconds=0.1))
        assert len(found) == stuck


def test_a_corrupt_database_is_found(scene: Scene, tmp_path: Path) -> None:
    file = tmp_path / "corrupt.sqlite3"
    with closing(sqlite3.connect(scene.database)) as live, closing(sqlite3.connect(file)) as saved:
        live.backup(saved)
        root, size = saved.execute("SELECT rootpage, 4096 FROM sqlite_master WHERE name = 'tasks'").fetchone()
    with file.open("r+b") as written:
        written.seek((root - 1) * size + 8)
        written.write(b"\xff" * 64)
    with closing(Database(f"sqlite:///{file}")) as database:
        found = list(consistency.database_is_intact(replace(scene.examination, database=database)))

    assert "The database is corrupt" in found[0]


def test_wrong_bytes_of_a_download_are_found(scene: Scene) -> None:
    file = scene.world.games / GAME / NEW.version / "data/assets.pak"
    served = Served(scene.examination.admin)
    served.check_version(NEW)
    corrupt_file(file)
    try:
        with pytest.raises(WrongBytes, match="other bytes in the version image"):
            served.check_version(NEW)
        with pytest.raises(WrongBytes, match="are wrong"):
            served.check_range(NEW, "data/assets.pak", 0, 10)
    finally:
        corrupt_file(file)


def test_wrong_bytes_of_patches_are_found(scene: Scene) -> None:
    admin = scene.examination.admin
    served = Served(admin)
    old, new = served.version_id(OLD), served.version_id(NEW)
    listed = admin.get(f"/api/v1/versions/{new}/patches", params={"from": old})
    served.check_patches(listed, OLD, NEW)
    with scene.restored():
        for path in scene.blobs("patches"):
            corrupt_file(path, at=path.stat().st_size - 1)
        with pytest.raises(WrongBytes, match="cannot be applied"):
            served.check_patches(listed, OLD, NEW)


def test_a_change_without_an_acknowledgement_may_or_may_not_have_been_made(scene: Scene) -> None:
    user, check = scene.user, invariants.users_are_as_acknowledged
    [(shown,)] = scene.examination.query("SELECT display_name FROM users WHERE username = :name", name=user)
    with scene.restored():
        scene.journal.state.apply(Changed(user, "displayName", "before"))
        scene.journal.state.apply(ChangeSent(user, "displayName", shown))
        made = list(check(scene.examination))
        settled = scene.journal.state.accounts[user].fields["displayName"]
        scene.journal.state.apply(ChangeSent(user, "displayName", "later"))
        not_made = list(check(scene.examination))

    assert (made, settled.acknowledged, not_made) == ([], shown, [])


def test_a_journal_is_resumed_without_its_incomplete_last_line(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    with closing(Journal(file)) as journal:
        journal.write(Invited("one"))
    complete = file.read_bytes()
    file.write_bytes(complete + b'{"type":"Invi')
    with closing(Journal(file)) as journal:
        journal.write(Invited("two"))

    assert [*journal.state.invitations] == ["one", "two"]
