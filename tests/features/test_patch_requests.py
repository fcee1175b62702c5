"""Patches are made on request: a GET only shows what there is."""

from datetime import timedelta

import pytest

from patching import NEW, NEWER, OLD, Doom
from playdock.auth.permissions import Permission
from playdock.features.patches.service import TASK_TYPE
from playdock.kit.messages import Message
from playdock.stored import PatchVersionArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from world import World


@pytest.fixture
def game(world: World) -> Doom:
    return Doom.at(world)


def versions_without_patches(game: Doom) -> tuple[str, str]:
    """Two versions with one between them; an import makes patches from the version before it only."""
    first = game.add("1.0", OLD)
    game.add("1.1", NEW)
    last = game.add("1.2", NEWER)
    assert len(game.rest()) == 2
    return first, last


def test_reading_patches_starts_no_task(game: Doom) -> None:
    first, last = versions_without_patches(game)
    before = game.tasks()

    answer = game.ask(first, last)

    assert (answer.status_code, answer.json()["type"]) == (404, "patches-not-made")
    assert game.tasks() == before


def test_reading_patches_in_progress_returns_the_task(game: Doom) -> None:
    first, last = versions_without_patches(game)
    later = game.world.clock() + timedelta(hours=1)
    arguments = PatchVersionArguments(version=last, from_id=first)
    draft = NewTask(
        TASK_TYPE,
        Message("plan-import"),
        f"version:{game.game}:{last}:{first}",
        Queue.LOW,
        (Permission.TASK_READ,),
        arguments,
    )
    with game.world.services.db.write() as session:
        enqueue(session, draft, at=later)
    answer = game.ask(first, last)
    assert (answer.status_code, answer.headers["retry-after"]) == (202, "2")
    assert answer.json() == game.request(first, last).json()


def test_the_installed_version_is_required(game: Doom) -> None:
    answer = game.admin.get(f"/api/v1/versions/{game.add('1.0', OLD)}/patches")
    assert [fault["field"] for fault in answer.json()["errors"]] == ["from"]
