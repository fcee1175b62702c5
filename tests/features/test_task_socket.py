"""The web socket of tasks, which uses Drop's protocol, message by message."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from audit import told_of
from playdock.features.tasks.maintenance import DAILY
from playdock.features.tasks.service import Tasks
from waiting import wait_until
from world import Caller, World

PATIENCE = 120.0
# The task itself, and the thread that writes the layer while the task writes the manifest.
_IMPORT_THREADS = ("tasks-cpu", "layer_")


def address(world: World) -> str:
    return world.address.replace("http://", "ws://") + "/api/v1/task"


@contextmanager
def socket(world: World, caller: Caller | None = None, **headers: str) -> Iterator[ClientConnection]:
    """An open web socket of somebody, or of nobody."""
    credential = {"Authorization": f"Bearer {caller.token}"} if caller else {}
    with connect(address(world), additional_headers=credential | headers, open_timeout=PATIENCE) as opened:
        yield opened


def read(opened: ClientConnection) -> str:
    told = opened.recv(timeout=PATIENCE)
    assert isinstance(told, str)
    return told


def watch(opened: ClientConnection, task: str) -> list[Any]:
    """Everything that the server tells of a task, messages decoded, up to its goodbye."""
    opened.send(f"connect/{task}")
    told: list[Any] = []
    while not told or told[-1] != f"disconnect/{task}":
        text = read(opened)
        told.append(json.loads(text) if text.startswith("{") else text)
    return told


def maintenance(world: World, admin: Caller, task_type: str = DAILY[0]) -> str:
    task: str = admin.post("/api/v1/admin/task", {"taskGroup": task_type}).json()["id"]
    world.finish(admin, task)
    return task


def imported(world: World, admin: Caller) -> dict[str, Any]:
    """The task of a version that has been imported."""
    world.put("Doom/1.0/doom")
    game = world.import_game(admin, world.library(admin), "Doom")
    return world.import_version(admin, game, "1.0", launch="doom")


@contextmanager
def held_import(world: World, admin: Caller, *, at: str = "/games") -> Iterator[tuple[str, threading.Event]]:
    """Start an import whose threads wait for the event before they open such a path."""
    world.put("Doom/1.0/doom")
    game = world.import_game(admin, world.library(admin), "Doom")
    release = threading.Event()

    def wait(opened: object) -> None:
        if at in str(opened) and threading.current_thread().name.startswith(_IMPORT_THREADS):
            release.wait(PATIENCE)

    body = {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "doom"}
    with told_of("open", wait):
        yield admin.post("/api/v1/admin/import/version", body).json()["taskId"], release
        release.set()


# --- Who is let in ---


def test_the_server_first_sends_connect(world: World) -> None:
    with socket(world, world.admin()) as opened:
        assert read(opened) == "connect"


def test_a_client_without_credentials_is_rejected_and_disconnected(world: World) -> None:
    with socket(world) as opened:
        assert read(opened) == "unauthenticated"
        with pytest.raises(ConnectionClosed):
            opened.recv(timeout=PATIENCE)


def test_an_invalid_credential_is_rejected(world: World) -> None:
    caller = world.with_token("pds_nothing")
    with socket(world, caller) as opened:
        assert read(opened) == "unauthenticated"


def test_the_session_cookie_is_accepted(world: World) -> None:
    admin = world.admin()
    task = maintenance(world, admin)
    cookie = f"playdock_session={world.sign_in('ada').cookies['playdock_session']}"
    with socket(world, Cookie=cookie) as opened:
        assert read(opened) == "connect"
        assert watch(opened, task)[-1] == f"disconnect/{task}"


@pytest.mark.parametrize(("header", "value"), [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
def test_a_cross_site_connection_with_a_cookie_is_rejected(world: World, header: str, value: str) -> None:
    world.admin()
    cookie = f"playdock_session={world.sign_in('ada').cookies['playdock_session']}"
    sent = {"Cookie": cookie, header: value}
    with pytest.raises((InvalidStatus, ConnectionClosed)), socket(world, None, **sent) as opened:
        assert read(opened) != "connect"


def test_a_same_origin_connection_with_a_cookie_is_accepted(world: World) -> None:
    world.admin()
    cookie = f"playdock_session={world.sign_in('ada').cookies['playdock_session']}"
    with socket(world, Cookie=cookie, Origin=world.address) as opened:
        assert read(opened) == "connect"


# --- What is told ---


def test_the_first_message_contains_the_whole_state(world: World) -> None:
    admin = world.admin()
    task = imported(world, admin)

    with socket(world, admin) as opened:
        read(opened)
        told = watch(opened, task["id"])

    fields = ("id", "name", "nameCode", "nameParameters", "success", "progress", "error", "log")
    assert told == [{**{name: task[name] for name in fields}, "reset": True}, f"disconnect/{task['id']}"]


def test_later_messages_contain_only_new_log_lines(world: World) -> None:
    admin = world.admin()
    with socket(world, admin) as opened, held_import(world, admin) as (task, release):
        read(opened)
        opened.send(f"connect/{task}")
        first = json.loads(read(opened))
        release.set()
        later = list(iter(lambda: read(opened), f"disconnect/{task}"))

    messages = [json.loads(text) for text in later]
    whole = world.finish(admin, task)
    assert (first["reset"], first["success"], {message["reset"] for message in messages}) == (True, False, {False})
    assert first["log"] + [line for message in messages for line in message["log"]] == whole["log"]
    assert (messages[-1]["success"], messages[-1]["progress"]) == (True, 100)


def test_log_lines_are_not_sent_twice(world: World) -> None:
    admin = world.admin()
    with socket(world, admin) as opened, held_import(world, admin, at="objects/layers") as (task, release):
        read(opened)
        while not admin.get(f"/api/v1/task/{task}").json()["log"]:
            time.sleep(0.01)
        opened.send(f"connect/{task}")
        first = json.loads(read(opened))
        release.set()
        later = [json.loads(text) for text in iter(lambda: read(opened), f"disconnect/{task}")]

    assert (len(first["log"]), [message["log"] for message in later]) == (1, [[]] * len(later))
    assert later[-1]["success"] is True


def test_nothing_is_sent_while_nothing_changes(world: World) -> None:
    admin = world.admin()
    with socket(world, admin) as opened, held_import(world, admin) as (task, release), polls() as polled:
        read(opened)
        opened.send(f"connect/{task}")
        wait_until(lambda: len(polled) >= 6)
        release.set()
        messages = [json.loads(text) for text in iter(lambda: read(opened), f"disconnect/{task}")]

    for before, after in pairwise(messages):
        assert after["log"] or {**after, "reset": before["reset"]} != {**before, "log": []}, messages


@contextmanager
def polls() -> Iterator[list[object]]:
    """Collect the polls of the watched tasks."""
    polled: list[object] = []
    read_watched = Tasks.read_watched

    def read(tasks: Tasks, positions: Mapping[str, int]) -> Any:
        polled.append(positions)
        return read_watched(tasks, positions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tasks, "read_watched", read)
        yield polled


def test_failures_include_their_message(world: World) -> None:
    world.put("Doom/1.0/con")
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    task = world.import_version(admin, game, "1.0", launch="doom")

    with socket(world, admin) as opened:
        read(opened)
        message = watch(opened, task["id"])[0]

    assert (message["success"], message["error"]) == (False, task["error"])
    assert set(message["error"]) == {"title", "description", "code", "parameters"}


def test_several_tasks_can_be_watched_on_one_socket(world: World) -> None:
    admin = world.admin()
    tasks = [maintenance(world, admin, task_type) for task_type in DAILY]
    with socket(world, admin) as opened:
        read(opened)
        for task in tasks:
            opened.send(f"connect/{task}")
        told = [read(opened) for _ in range(2 * len(tasks))]
    assert {text for text in told if text.startswith("disconnect/")} == {f"disconnect/{task}" for task in tasks}


def test_a_task_can_be_watched_again(world: World) -> None:
    admin = world.admin()
    task = maintenance(world, admin)
    with socket(world, admin) as opened:
        read(opened)
        assert watch(opened, task) == watch(opened, task)


def test_a_client_can_stop_watching(world: World) -> None:
    admin = world.admin()
    with socket(world, admin) as opened, held_import(world, admin) as (task, release):
        read(opened)
        opened.send(f"connect/{task}")
        read(opened)
        opened.send(f"disconnect/{task}")
        opened.send("connect/nothing")
        skipped = list(iter(lambda: read(opened)[:14], "error/nothing/"))
        release.set()
        world.finish(admin, task)
        opened.send("connect/another")
        assert (len(skipped) <= 2, read(opened)[:14]) == (True, "error/another/")


# --- What is refused ---


@pytest.mark.parametrize("task", ["nothing", "", "a/b", "..", "\0", "00000000-0000-0000-0000-000000000000", "x" * 900])
def test_an_unknown_task_is_an_error_and_the_socket_stays_open(world: World, task: str) -> None:
    admin = world.admin()
    known = maintenance(world, admin)
    with socket(world, admin) as opened:
        read(opened)
        opened.send(f"connect/{task}")
        told = read(opened)
        assert told.startswith(f"error/{task}/")
        assert told[len(f"error/{task}/") :].count("/") == 1
        assert watch(opened, known)[-1] == f"disconnect/{known}"


def test_a_long_message_ends_the_connection(world: World) -> None:
    with socket(world, world.admin()) as opened:
        read(opened)
        opened.send(f"connect/{'x' * 1024}")
        with pytest.raises(ConnectionClosed, match="message too big"):
            read(opened)


@pytest.mark.parametrize("nonsense", ["", "hello", "connect", "/", b"", b"connect/x", b"\xff\xfe", "disconnect/x"])
def test_invalid_messages_are_ignored(world: World, nonsense: str | bytes) -> None:
    admin = world.admin()
    known = maintenance(world, admin)
    with socket(world, admin) as opened:
        read(opened)
        opened.send(nonsense)
        opened.send(f"connect/{known}")
        told = list(iter(lambda: read(opened), f"disconnect/{known}"))
    assert json.loads(told[-1])["id"] == known


def test_watching_too_many_tasks_is_an_error_until_others_are_unwatched(world: World) -> None:
    admin = world.admin()
    for number in range(100):
        world.put(f"Doom/0.{number}/doom")
    with socket(world, admin) as opened, held_import(world, admin) as (held, _):
        read(opened)
        game = admin.get("/api/v1/admin/library").json()["games"][0]["game"]["id"]
        body = {"id": game, "platform": "Linux", "delta": False, "launch": "doom"}
        waiting = [
            admin.post("/api/v1/admin/import/version", {**body, "version": f"0.{number}"}).json()["taskId"]
            for number in range(100)
        ]
        for task in (held, *waiting):
            opened.send(f"connect/{task}")
        refusal = next(text for text in iter(lambda: read(opened), "") if text.startswith("error/"))
        opened.send(f"disconnect/{held}")
        opened.send(f"connect/{waiting[-1]}")
        told = next(text for text in iter(lambda: read(opened), "") if waiting[-1] in text)

    assert refusal.startswith(f"error/{waiting[-1]}/Too many tasks/")
    assert json.loads(told)["id"] == waiting[-1]


def test_a_task_without_permission_is_reported_as_unknown(world: World) -> None:
    admin = world.admin()
    task = imported(world, admin)
    program = world.token_of(admin, "system:import:game:read")
    for caller in (program, world.person("bob")):
        with socket(world, caller) as opened:
            read(opened)
            opened.send(f"connect/{task['id']}")
            assert read(opened).startswith(f"error/{task['id']}/")


def test_a_token_with_the_permission_of_the_task_can_watch_it(world: World) -> None:
    admin = world.admin()
    task = imported(world, admin)["id"]
    with socket(world, world.token_of(admin, "system:import:version:read")) as opened:
        read(opened)
        assert watch(opened, task)[-1] == f"disconnect/{task}"


def test_revoking_the_credential_closes_the_socket(world: World) -> None:
    admin = world.admin()
    again = world.with_token(world.sign_in("ada").json()["accessToken"])
    with socket(world, again) as opened, held_import(world, admin) as (task, _):
        read(opened)
        opened.send(f"connect/{task}")
        read(opened)
        assert again.post("/api/v1/auth/signout").status_code == 204
        told = list(opened)
    assert told[-1] == "unauthenticated"


def test_a_disconnected_client_does_not_affect_the_task(world: World) -> None:
    admin = world.admin()
    with held_import(world, admin) as (task, release):
        for _ in range(5):
            with socket(world, admin) as opened:
                read(opened)
                opened.send(f"connect/{task}")
        release.set()
        assert world.finish(admin, task)["success"]


def test_http_and_socket_return_the_same_state(world: World) -> None:
    admin = world.admin()
    task = imported(world, admin)
    with socket(world, admin) as opened:
        read(opened)
        message = watch(opened, task["id"])[0]
    assert {name: message[name] for name in message if name != "reset"}.items() <= task.items()
