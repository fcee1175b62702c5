"""Single versions: their commands changed by the rules of their import, and deleted without leaving a trace."""

from functools import partial
from typing import Any

import httpx2
import pytest

from audit import told_of
from patching import NEW, OLD
from patching import Doom as PatchedDoom
from playdock.auth.permissions import Permission
from playdock.content.damage import FileProblem
from playdock.features.patches.service import TASK_TYPE as PATCHES
from playdock.features.version_import.service import IMPORT_VERSION
from playdock.kit.messages import Message
from playdock.models import Damage, DownloadLink, PatchSet, Task, Version
from playdock.stored import ImportVersionArguments, PatchVersionArguments, TaskArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.lease_queries import MAX_AHEAD
from playdock.tasks.new_task import NewTask, Queue
from spoiling import make_revision, reimport, stand, version_of
from versions_to_import import unimported
from world import Caller, World, at_once

NOWHERE = "00000000-0000-4000-8000-000000000000"


def path(version: str) -> str:
    return f"/api/v1/admin/version/{version}"


def lay(world: World, *names: str) -> None:
    for name in names:
        for file in ("doom", "bin/doom64", "install.sh", f"only-{name}"):
            world.put(f"Doom/{name}/{file}", file.encode(), mode=0o755)


def imported(world: World, **wanted: Any) -> tuple[Caller, str, str]:
    """An admin, a game, and its version 1.0."""
    lay(world, "1.0")
    admin, game = stand(world, "1.0", **wanted)
    return admin, game, version_of(admin, game)["id"]


def change(admin: Caller, version: str, **changes: Any) -> httpx2.Response:
    return admin.patch(path(version), changes)


def wait_in_line(world: World, task_type: str, subject: str, arguments: TaskArguments) -> str:
    """A task that waits for a later hour."""
    draft = NewTask(task_type, Message("plan-import"), subject, Queue.LOW, (Permission.TASK_READ,), arguments)
    with world.services.db.write() as session:
        task_id = enqueue(session, draft, at=world.clock())
        task = session.get(Task, task_id)
        assert task is not None
        task.due = world.clock() + MAX_AHEAD
    return task_id


def title_of(admin: Caller, task: str) -> str | None:
    error = admin.get(f"/api/v1/task/{task}").json()["error"]
    return error and str(error["title"])


def counts(world: World) -> list[int]:
    """How many versions there are, and sets of patches, links and damaged files of theirs."""
    tables = (Version, PatchSet, DownloadLink, Damage)
    with world.services.db.read() as session:
        return [session.query(table).count() for table in tables]


# --- Changing ---


def test_commands_can_be_changed_and_omitted_fields_are_kept(world: World) -> None:
    admin, game, version = imported(world, launchArgs="-old")
    before = version_of(admin, game)

    changed = change(admin, version, launch="./bin/doom64", setup="install.sh", setupArgs="--quiet")

    given = {"launch": "bin/doom64", "setup": "install.sh", "setupArgs": "--quiet"}
    assert (changed.status_code, changed.json()) == (200, {**before, **given})
    assert version_of(admin, game) == changed.json()
    assert changed.json()["launchArgs"] == "-old"


def test_an_empty_update_changes_nothing(world: World) -> None:
    admin, game, version = imported(world)
    before = version_of(admin, game)
    assert change(admin, version).json() == before


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"launch": "quake"}, ("launch", "The version has no file quake.")),
        ({"setup": "bin"}, ("setup", "The version has no file bin.")),
        ({"launch": ""}, ("launch", "A version requires the command that launches the game.")),
        ({"launch": "../doom"}, ("launch", "The version has no file ../doom.")),
    ],
)
def test_a_command_must_be_a_file_of_the_version(world: World, changes: dict[str, str], fault: tuple[str, str]) -> None:
    admin, game, version = imported(world)
    before = version_of(admin, game)

    refused = change(admin, version, launchArgs="-new", **changes)

    errors = [(error["field"], error["detail"]) for error in refused.json()["errors"]]
    assert (refused.status_code, errors) == (400, [fault])
    assert version_of(admin, game) == before


def test_a_version_with_only_a_setup_must_keep_a_setup_command(world: World) -> None:
    admin, game, version = imported(world, launch="", onlySetup=True, setup="install.sh")
    assert change(admin, version, setup="").json()["errors"][0]["field"] == "setup"
    assert change(admin, version, setup="doom").status_code == 200
    assert version_of(admin, game)["setup"] == "doom"


def test_a_delta_may_launch_a_file_of_its_base_or_its_own(world: World) -> None:
    admin, game, _ = imported(world)
    lay(world, "1.1")
    world.import_version(admin, game, "1.1", delta=True)
    delta = version_of(admin, game, "1.1")["id"]
    assert [change(admin, delta, launch=launch).status_code for launch in ("only-1.0", "only-1.1", "")] == [200] * 3


def test_a_reimport_that_would_lose_a_changed_command_is_rejected(world: World) -> None:
    admin, _, version = imported(world)
    change(admin, version, launch="bin/doom64")
    (world.games / "Doom/1.0/bin/doom64").unlink()
    assert reimport(world, admin, version)["error"]["title"] == "Command missing"


@pytest.mark.folder_objects
def test_an_edit_during_a_reimport_is_rejected(world: World) -> None:
    admin, game, version = imported(world)
    raced = False

    def race(opened: object) -> None:
        nonlocal raced
        if str(opened).endswith(f"/{version}") and "/layers/" in str(opened) and not raced:
            raced = True
            make_revision(world, version)

    with told_of("open", race):
        refused = change(admin, version, launch="bin/doom64")

    assert (refused.status_code, refused.json()["type"]) == (409, "version-reimported")
    assert version_of(admin, game)["launch"] == "doom"


# --- Deleting ---


def test_a_deleted_version_is_removed_and_can_be_imported_again(world: World) -> None:
    admin, game, version = imported(world)

    gone = admin.delete(path(version))

    assert (gone.status_code, gone.content) == (204, b"")
    assert admin.get(f"/api/v1/games/{game}/versions").json() == []
    assert admin.get(f"/api/v1/versions/{version}/manifest").status_code == 404
    assert admin.get(f"/api/v1/versions/{version}/files/doom").status_code == 404
    assert unimported(admin, game) == ["1.0"]
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    assert version_of(admin, game)["id"] != version
    assert admin.get(f"/api/v1/versions/{version_of(admin, game)['id']}/files/doom").content == b"doom"


def test_deleting_a_version_deletes_its_patches_links_and_damage_records(world: World) -> None:
    game = PatchedDoom.at(world)
    old, new = game.add("1.0", OLD), game.add("1.1", NEW)
    game.rest()
    game.admin.post(f"/api/v1/versions/{new}/links", {"kind": "archive"})
    world.services.damages.report(new, "doom", FileProblem.CHANGED)

    before = counts(world)

    game.admin.delete(path(new))

    assert (before, counts(world)) == ([2, 1, 1, 1], [1, 0, 0, 0])
    assert game.admin.get(f"/api/v1/versions/{old}/manifest").status_code == 200


def test_blobs_of_a_deleted_version_are_swept(world: World) -> None:
    game = PatchedDoom.at(world)
    _, new = game.add("1.0", OLD), game.add("1.1", NEW)
    game.rest()
    game.admin.delete(path(new))
    world.clock.advance(days=2)
    admin = world.with_token(world.sign_in("ada").json()["accessToken"])

    world.finish(admin, admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:objects"}).json()["id"])

    kept = {kind: len(list(world.services.blobs.keys(kind, before=world.clock()))) for kind in ("layers", "manifests")}
    assert (kept, game.stored()) == ({"layers": 1, "manifests": 1}, [])


def test_a_version_cannot_be_deleted_while_it_is_the_base_of_deltas(world: World) -> None:
    lay(world, "1.0", "1.1", "1.2")
    admin, game = stand(world, "1.0")
    for name in ("1.1", "1.2"):
        world.import_version(admin, game, name, delta=True)
    first, middle, last = (version_of(admin, game, name)["id"] for name in ("1.0", "1.1", "1.2"))

    refused = admin.delete(path(first))

    assert (refused.status_code, refused.json()["type"]) == (409, "version-is-base")
    assert refused.json()["detail"].startswith("The delta version 1.1 cannot be installed")
    assert [admin.delete(path(each)).status_code for each in (last, middle, first)] == [204] * 3


@pytest.mark.parametrize("what", ["the version", "a delta over it"])
def test_a_version_cannot_be_deleted_while_an_import_needs_it(world: World, what: str) -> None:
    admin, game, version = imported(world)
    subject = f"version:{game}:{'1.0' if what == 'the version' else '1.1'}"
    arguments = ImportVersionArguments(game=game, version=NOWHERE, name="1.1", platform="Linux", base=version)
    task = wait_in_line(world, IMPORT_VERSION, subject, arguments)

    refused = admin.delete(path(version))

    assert (refused.status_code, refused.json()["type"], refused.json()["taskId"]) == (
        409,
        "task-already-running",
        task,
    )
    admin.delete(f"/api/v1/admin/task/{task}")
    assert admin.delete(path(version)).status_code == 204


def test_deleting_a_version_cancels_tasks_for_its_patches(world: World) -> None:
    admin, game, version = imported(world)
    pairs = [(version, NOWHERE), (NOWHERE, version), (NOWHERE, game)]
    waiting = [PatchVersionArguments(version=new, from_id=old) for new, old in pairs]
    tasks = [wait_in_line(world, PATCHES, f"{each}", each) for each in waiting]

    admin.delete(path(version))

    assert [title_of(admin, task) for task in tasks] == ["Cancelled", "Cancelled", None]


def test_a_rejected_deletion_cancels_nothing(world: World) -> None:
    admin, game, version = imported(world)
    lay(world, "1.1")
    world.import_version(admin, game, "1.1", delta=True)
    task = wait_in_line(world, PATCHES, "later", PatchVersionArguments(version=version, from_id=NOWHERE))
    admin.delete(path(version))
    assert title_of(admin, task) is None


@pytest.mark.both_databases
def test_concurrent_deletions_succeed_once(world: World) -> None:
    lay(world, "1.0")
    admin, game = stand(world, "1.0")
    version = version_of(admin, game)["id"]
    callers = [admin, world.admin("bob")]
    answers = at_once([partial(caller.delete, path(version)) for caller in callers])
    assert sorted(answer.status_code for answer in answers) == [204, 404]


# --- Rights ---


@pytest.mark.parametrize(
    ("acl", "statuses"),
    [
        ("system:game:version:update", (404, 403)),
        ("system:game:version:delete", (403, 404)),
        ("system:game:update", (403, 403)),
    ],
)
def test_editing_and_deleting_versions_require_different_permissions(
    world: World, acl: str, statuses: tuple[int, int]
) -> None:
    program = world.token_of(world.admin(), acl)
    answers = change(program, NOWHERE, launch="doom"), program.delete(path(NOWHERE))
    assert tuple(answer.status_code for answer in answers) == statuses
