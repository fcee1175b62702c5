"""The deletion of games: all that is theirs goes, what works on them ends, and their folders stay."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select, update

from games import add_game, catalogue_of
from playdock.auth.permissions import Permission
from playdock.domain.games.queries import lock_game
from playdock.features.import_parts.queries import add_checkpoint
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import GameMetadata, Role, TagFact, TagKind
from playdock.models import (
    Base,
    Collection,
    CollectionEntry,
    GameCompany,
    GameTag,
    ImportCheckpoint,
    Picture,
    PictureUse,
    StoredObject,
    Task,
    Version,
)
from playdock.stored import ImportVersionArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.lease_queries import MAX_AHEAD
from playdock.tasks.new_task import NewTask, Queue
from races import wait_for_lock
from versions_to_import import doom
from world import Caller, World, at_once

pytestmark = pytest.mark.both_databases

OF_A_GAME: list[type[Base]] = [
    Version,
    ImportCheckpoint,
    Picture,
    PictureUse,
    GameCompany,
    GameTag,
    CollectionEntry,
]


def delete(admin: Caller, game: str) -> None:
    answer = admin.delete(f"/api/v1/admin/game/{game}")
    assert (answer.status_code, answer.content) == (204, b"")


def count(world: World, table: type[Base]) -> int:
    with world.services.db.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def full_game(world: World, admin: Caller) -> str:
    """A game with one of everything that can be a game's, but versions."""
    facts = GameMetadata("Doom", developers=("id",), tags=(TagFact(TagKind.GENRE, "Shooter"),))
    game = add_game(world, facts, pictures=[Role.COVER, Role.CAROUSEL])
    collection = Collection(id=new_id(), user_id=admin.user["id"], name="Best", is_default=False, created=world.clock())
    with world.services.db.write() as session:
        session.add(collection)
        session.flush()
        session.add(CollectionEntry(collection_id=collection.id, game_id=game, added=world.clock()))
        add_checkpoint(session, game, "1.0", at=world.clock(), records=b"")
    return game


def test_deleting_a_game_deletes_all_of_its_data(world: World) -> None:
    admin = world.admin()
    objects = count(world, StoredObject)
    game = full_game(world, admin)
    cover = admin.get(f"/api/v1/admin/game/{game}").json()["cover"]

    delete(admin, game)

    assert {table.__tablename__: count(world, table) for table in OF_A_GAME if count(world, table)} == {}
    assert (count(world, StoredObject), count(world, Collection)) == (objects, 1)
    assert admin.get(f"/api/v1/object/{cover}").status_code == 404
    assert admin.get(f"/api/v1/admin/game/{game}").status_code == 404
    assert f"objects/{cover}" not in list(world.services.blobs.keys("objects", before=world.clock()))


def test_deleting_a_game_does_not_affect_other_games(world: World) -> None:
    admin = world.admin()
    kept, gone = (add_game(world, GameMetadata(name), pictures=[Role.COVER]) for name in ("Quake", "Doom"))
    before = admin.get(f"/api/v1/admin/game/{kept}").json()

    delete(admin, gone)

    assert admin.get(f"/api/v1/admin/game/{kept}").json() == before
    assert admin.get(f"/api/v1/object/{before['cover']}").status_code == 200


def test_chained_deltas_are_deleted_with_the_game(world: World) -> None:
    for version in ("1.0", "1.1", "1.2"):
        world.put(f"Doom/{version}/doom", mode=0o755)
    admin, game = doom(world)
    for version, delta in (("1.0", False), ("1.1", True), ("1.2", True)):
        assert world.import_version(admin, game, version, delta=delta, launch="doom")["success"]

    delete(admin, game)

    assert count(world, Version) == 0


def test_the_folder_is_kept_and_can_be_imported_again(world: World) -> None:
    world.put("Doom/1.0/doom", b"rip and tear", mode=0o755)
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")
    library = admin.get("/api/v1/admin/library/sources").json()[0]

    delete(admin, game)

    assert (world.games / "Doom/1.0/doom").read_bytes() == b"rip and tear"
    assert world.unimported(admin) == ["Doom"]
    again = world.import_game(admin, library, "Doom")
    assert again != game
    assert world.import_version(admin, again, "1.0", launch="doom")["success"]


def put_off(world: World, game: str, *, subject: str) -> str:
    """A task that waits for a later hour."""
    draft = NewTask(
        task_type="import:version",
        name=Message("import-version", game="Doom", version="1.0"),
        subject=subject,
        queue=Queue.CPU,
        acls=(Permission.IMPORT_VERSION,),
        arguments=ImportVersionArguments(game=game, version=new_id(), name="1.0", platform="Linux"),
    )
    with world.services.db.write() as session:
        task_id = enqueue(session, draft, at=world.clock())
        task = session.get(Task, task_id)
        assert task is not None
        task.due = world.clock() + MAX_AHEAD
    return task_id


def test_tasks_of_a_deleted_game_are_cancelled(world: World) -> None:
    admin = world.admin()
    game, other = add_game(world, GameMetadata("Doom")), add_game(world, GameMetadata("Quake"))
    tasks = [put_off(world, game, subject=subject) for subject in (f"version:{game}:1.0", f"refresh:{game}")]
    kept = put_off(world, other, subject=f"version:{other}:1.0")

    delete(admin, game)

    ended: list[dict[str, Any]] = [admin.get(f"/api/v1/task/{task}").json() for task in (*tasks, kept)]
    assert [task["error"] and task["error"]["title"] for task in ended] == ["Cancelled", "Cancelled", None]


def test_an_import_for_a_deleted_game_fails_with_the_reason(world: World) -> None:
    admin = world.admin()
    game = add_game(world, GameMetadata("Doom"))
    delete(admin, game)
    task_id = put_off(world, game, subject=f"version:{game}:1.0")
    with world.services.db.write() as session:
        task = session.get(Task, task_id)
        assert task is not None
        task.due = world.clock()

    task_now = world.finish(admin, task_id)

    assert (task_now["success"], task_now["error"]["title"]) == (False, "Game deleted")


def test_a_task_that_ends_during_a_deletion_does_not_cause_a_deadlock(world: World) -> None:
    admin, game = world.admin(), add_game(world, GameMetadata("Doom"))
    task_id = put_off(world, game, subject=f"version:{game}:1.0")

    with ThreadPoolExecutor() as threads:
        with world.services.db.write() as session:
            session.execute(update(Task).where(Task.id == task_id).values(progress=99.0))
            deletion = threads.submit(delete, admin, game)
            wait_for_lock(world, deletion)  # so that the deletion gets as far as it can
            assert lock_game(session, game)
        deletion.result()


def test_of_two_simultaneous_deletions_only_one_succeeds(world: World) -> None:
    game = add_game(world, GameMetadata("Doom"), pictures=[Role.COVER])
    callers = [world.admin("ada"), world.admin("bob")]
    answers = at_once([partial(caller.delete, f"/api/v1/admin/game/{game}") for caller in callers])
    assert sorted(answer.status_code for answer in answers) == [204, 404]


def remove_and_fail(world: World, game: str) -> None:
    with world.services.db.write() as session:
        catalogue_of(world).remove(session, game)
        raise TimeoutError


def test_a_rolled_back_deletion_changes_nothing(world: World) -> None:
    admin = world.admin()
    game = full_game(world, admin)
    before = admin.get(f"/api/v1/admin/game/{game}").json()

    with pytest.raises(TimeoutError):
        remove_and_fail(world, game)

    assert admin.get(f"/api/v1/admin/game/{game}").json() == before
    assert admin.get(f"/api/v1/object/{before['cover']}").status_code == 200
