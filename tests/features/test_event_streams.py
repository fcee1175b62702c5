"""Event streams: everything once and in order, from other processes too, until the credential or the process ends."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from playdock.db.database import Database
from playdock.domain.events import queries
from playdock.domain.events.rules import EventType
from playdock.features.event_streams import service
from playdock.models import Event
from playdock.server import event_stream
from playdock.stored_events import SpaceEvent, StoredMessage
from waiting import MAX_WAIT_SECONDS, wait_until
from world import Caller, World

PATH = "/api/v1/admin/events/stream"


class Reader:
    """A program that reads a stream."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def line(self) -> str | None:
        """Return the next line, None at the end."""
        return next(self._lines, None)

    def event(self) -> dict[str, Any]:
        """Return the next event: its fields, with the data decoded."""
        fields: dict[str, Any] = {}
        while (line := self.line()) is not None:
            if not line and fields:
                return {**fields, "data": json.loads(fields["data"])}
            name, _, value = line.partition(": ")
            if name.strip(":"):
                fields[name] = value
        raise AssertionError("The stream has ended.")

    def names(self, count: int) -> list[str]:
        """Return the names of the games that the next events are about."""
        return [self.event()["data"]["data"]["name"] for _ in range(count)]


@contextmanager
def stream(program: Caller, *, after: str = "") -> Iterator[Reader]:
    headers = {"Authorization": f"Bearer {program.token}", **({"Last-Event-ID": after} if after else {})}
    with program.http.stream("GET", PATH, headers=headers) as response:
        if response.status_code != 200:
            response.read()
        else:
            assert response.headers["content-type"].startswith("text/event-stream")
        yield Reader(response)


def program_of(world: World, owner: Caller) -> Caller:
    return world.token_of(owner, "system:events:read")


def wish(caller: Caller, *names: str) -> None:
    for name in names:
        assert caller.post("/api/v1/requests", {"name": name}).status_code == 201


@pytest.fixture
def attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams look often whether they must end."""
    monkeypatch.setattr(service, "_CHECK_SECONDS", 0.05)


@pytest.mark.both_databases
def test_events_are_sent_as_they_happen_and_continue_after_the_last_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_CHECK_SECONDS", MAX_WAIT_SECONDS)
    ada = world.admin()
    wish(ada, "Before")
    program = program_of(world, ada)
    with stream(program) as reading:
        assert reading.line() == ":"
        wish(ada, "Doom")
        first = reading.event()
        wish(ada, "Quake", "Hexen")
        assert reading.names(2) == ["Quake", "Hexen"]
    assert (first["event"], first["data"]["type"]) == ("request.added", "request.added")
    assert set(first["data"]) == {"type", "timestamp", "data"}
    wish(ada, "Heretic")
    with stream(program, after=first["id"]) as again:
        assert again.names(3) == ["Quake", "Hexen", "Heretic"]
    with stream(program, after="0") as everything:
        assert everything.names(5) == ["Before", "Doom", "Quake", "Hexen", "Heretic"]


def record(db: Database, world: World, number: int, *, before_commit: Callable[[], None] = lambda: None) -> None:
    with db.write() as session:
        data = SpaceEvent(reason=StoredMessage(text="Little is left", parameters={"size": number}))
        queries.add(session, EventType.DISK_LOW, data, nonce=str(number), at=world.clock())
        before_commit()


@pytest.mark.both_databases
def test_nothing_is_left_out_that_another_process_records_and_commits_in_another_order(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = world.services.db
    if not db.embedded:
        # PostgreSQL notifies of it. SQLite has one writer at a time, and the process must look.
        monkeypatch.setattr(service, "_CHECK_SECONDS", MAX_WAIT_SECONDS)
    received = []
    url = db.url.render_as_string(hide_password=False)
    with closing(Database(url)) as other, stream(program_of(world, world.admin())) as reading:
        assert reading.line() == ":"

        def overtake() -> None:
            if not db.embedded:
                record(other, world, 2)
                received.append(reading.event())

        record(db, world, 1, before_commit=overtake)
        if db.embedded:
            record(other, world, 2)
        while len(received) < 2:
            received.append(reading.event())
    numbers = [each["data"]["data"]["reason"]["parameters"]["size"] for each in received]
    assert (numbers, [each["id"] for each in received]) == ([1, 2] if db.embedded else [2, 1], ["1", "2"])


def test_a_position_that_is_not_kept_is_refused(world: World) -> None:
    ada = world.admin()
    program = program_of(world, ada)
    wish(ada, "Doom", "Quake", "Hexen")
    with stream(program, after="0") as reading:
        assert reading.names(3) == ["Doom", "Quake", "Hexen"]
    with world.services.db.write() as session:
        session.query(Event).update({"announced": world.clock()})
        queries.delete_announced(session, before=world.clock() + timedelta(days=1))
    for after, status, problem in (
        ("1", 410, "events-gone"),
        ("99", 410, "events-gone"),
        ("x", 400, "invalid-input"),
        ("9" * 30, 400, "invalid-input"),
    ):
        with stream(program, after=after) as refused:
            assert (refused.response.status_code, refused.response.json()["type"]) == (status, problem)
    wish(ada, "Heretic")
    with stream(program, after="2") as reading:
        assert [reading.event()["id"] for _ in range(2)] == ["3", "4"]


def test_streams_are_limited_per_user_and_in_total(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_CHECK_SECONDS", 0.05)
    monkeypatch.setattr(service, "_MAX_PER_USER", 1)
    monkeypatch.setattr(service, "_MAX_STREAMS", 2)
    ada, bob, eve = (world.admin(name) for name in ("ada", "bob", "eve"))
    mine = [program_of(world, ada) for _ in range(2)]
    with stream(mine[0]), stream(program_of(world, bob)):
        for program in (mine[1], program_of(world, eve)):
            with stream(program) as refused:
                assert (refused.response.status_code, refused.response.json()["type"]) == (
                    429,
                    "too-many-event-streams",
                )
    wait_until(lambda: not world.services.event_streams._open)
    with stream(mine[1]) as reading:
        assert reading.line() == ":"


@pytest.mark.usefixtures("attentive")
def test_a_stream_ends_with_its_token_and_while_the_process_drains(world: World) -> None:
    ada = world.admin()
    program = program_of(world, ada)
    with stream(program) as reading:
        [token] = ada.get("/api/v1/user/token").json()
        assert ada.delete(f"/api/v1/user/token/{token['id']}").status_code == 204
        assert [line for line in iter(reading.line, None) if line.strip(":")] == []
    with stream(program_of(world, ada)) as reading:
        world.services.readiness.start_draining()
        assert [line for line in iter(reading.line, None) if line.strip(":")] == []


@pytest.mark.usefixtures("attentive")
def test_a_quiet_stream_has_heartbeats(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_HEARTBEAT_SECONDS", 0.0)
    with stream(program_of(world, world.admin())) as reading:
        assert [reading.line() for _ in range(4)] == [":", "", ":", ""]


def test_a_program_that_reads_nothing_loses_its_stream(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_MAX_SEND_SECONDS", 0.2)
    ada = world.admin()
    program = program_of(world, ada)
    wish(ada, "Doom")
    host, _, port = world.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as connection:
        lines = [f"GET {PATH} HTTP/1.1", f"Host: {host}:{port}", f"Authorization: Bearer {program.token}", "", ""]
        connection.sendall("\r\n".join(lines).encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
        large = {"reason": {"text": "x" * 1_000_000}}
        rows = [
            Event(event_type="disk.low", nonce=f"{number}", data=large, created=world.clock()) for number in range(30)
        ]
        with world.services.db.write() as session:
            session.add_all(rows)
        wish(ada, "Quake")
        wait_until(lambda: not world.services.event_streams._open)


def test_only_administrators_receive_events(world: World) -> None:
    bob = world.person("bob")
    assert bob.get(PATH).status_code == 403
    ada = world.admin()
    with stream(world.token_of(ada, "system:webhook:read")) as refused:
        assert refused.response.status_code == 403
