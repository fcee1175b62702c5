"""The codes and parameters that tasks carry beside their English sentences."""

import json
from datetime import timedelta

from sqlalchemy import update

from playdock.auth.permissions import Permission
from playdock.kit.messages import Message
from playdock.models import Task
from playdock.stored import PatchVersionArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from world import World


def test_names_log_lines_and_errors_of_tasks_have_codes_and_parameters(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    done = world.import_version(admin, game, "1.0", launch="doom")
    waiting = enqueue_later(world, Message("refresh-game", game="Doom"))
    plain = enqueue_later(world, Message("plan-import"))
    with world.services.db.write() as session:
        earlier = {"name": "A name of an earlier release", "name_code": None, "name_parameters": None}
        session.execute(update(Task).where(Task.id == plain).values(earlier))
    assert admin.delete(f"/api/v1/admin/task/{waiting}").status_code == 204
    cancelled = world.finish(admin, waiting)

    assert (done["name"], done["nameCode"]) == ("Import Doom 1.0", "import-version")
    assert done["nameParameters"] == {"game": "Doom", "version": "1.0"}
    line = json.loads(done["log"][-1])
    assert (line["code"], line["parameters"]["files"]) == ("files-read", 1)
    assert (cancelled["nameCode"], cancelled["error"]["code"]) == ("refresh-game", "cancelled")
    shown = admin.get(f"/api/v1/task/{plain}").json()
    assert (shown["name"], shown["nameCode"], shown["nameParameters"]) == ("A name of an earlier release", None, {})


def enqueue_later(world: World, name: Message) -> str:
    """Enqueue a task that is not due before the test has ended; return its id."""
    arguments = PatchVersionArguments(version="none", from_id="none")
    draft = NewTask("patch:version", name, name, Queue.LOW, (Permission.TASK_READ,), arguments)
    with world.services.db.write() as session:
        task_id = enqueue(session, draft, at=world.clock())
        session.execute(update(Task).where(Task.id == task_id).values(due=world.clock() + timedelta(minutes=5)))
        return task_id
