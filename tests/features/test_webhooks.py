"""Webhooks: signed deliveries of what happens, until they are accepted, and never into private networks."""

import base64
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from playdock.features.webhooks import rules
from playdock.features.webhooks.service import DELIVER
from playdock.fetching.public_addresses import is_public
from playdock.models import Task, Webhook
from waiting import MAX_WAIT_SECONDS
from world import Caller, World, at_once, running_world

PATH = "/api/v1/admin/webhooks"


class Program:
    """A program on loopback that records what it is sent, and answers with a status."""

    def __init__(self) -> None:
        self.status = 204
        # Its answers wait until as many programs are called as belong to it.
        self.meeting: threading.Barrier | None = None
        self.received: list[tuple[dict[str, str], bytes]] = []
        program = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if program.meeting:
                    program.meeting.wait(MAX_WAIT_SECONDS)
                program.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(program.status)
                self.send_header("Location", "/elsewhere")
                # Only the status counts: the body is longer than it says, and is not compressed.
                self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", "0" if program.status == 204 else "1000000")
                self.end_headers()
                self.wfile.write(b"" if program.status == 204 else b"Thanks!")

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}/hook?x=1"

    @contextmanager
    def running(self) -> Iterator["Program"]:
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            self.server.shutdown()
            self.server.server_close()
            thread.join()


@pytest.fixture
def program() -> Iterator[Program]:
    with Program().running() as running:
        yield running


@pytest.fixture
def reaching(database_url: str, tmp_path: Path) -> Iterator[World]:
    """A world whose webhooks may reach this machine."""
    with running_world(tmp_path, database_url=database_url, webhooks_private_networks=True) as running:
        yield running


def deliver(world: World, admin: Caller) -> str:
    """Send what is due, as the runner does each minute, and return the log of the task."""
    world.services.webhooks.start_due()
    with world.services.db.read() as session:
        newest = session.query(Task).filter_by(task_type=DELIVER).order_by(Task.created.desc()).first()
    assert newest is not None
    ended = world.finish(admin, newest.id)
    assert ended["success"]
    return str(ended["log"])


def create(admin: Caller, url: str, *types: str) -> tuple[str, str]:
    made = admin.post(PATH, {"url": url, "eventTypes": list(types)})
    assert made.status_code == 201, made.text
    return made.json()["webhook"]["id"], made.json()["secret"]


def log_of(admin: Caller, webhook: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = admin.get(f"{PATH}/{webhook}/deliveries").json()["deliveries"]
    return found


def wish(world: World, name: str) -> None:
    assert world.admin(f"person{name}").post("/api/v1/requests", {"name": name}).status_code == 201


@pytest.mark.both_databases
def test_events_are_signed_sent_once_tried_again_and_redelivered(reaching: World, program: Program) -> None:
    world, ada = reaching, reaching.admin()
    webhook, secret = create(ada, program.url, "request.added")
    other, _ = create(ada, program.url, "news.published")
    wish(world, "Doom")
    program.status = 500
    assert "0 deliveries sent" in deliver(world, ada)

    [(headers, body)] = program.received
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["host"].startswith("localhost:")
    event = json.loads(body)
    assert (event["type"], event["data"]["name"]) == ("request.added", "Doom")
    [failed] = log_of(ada, webhook)
    assert (failed["attempts"], failed["status"], failed["delivered"]) == (1, 500, None)
    assert log_of(ada, other) == []

    program.status = 200
    world.clock.advance(seconds=10)
    assert "1 delivery sent" in deliver(world, ada)
    [delivered] = log_of(ada, webhook)
    assert (delivered["attempts"], delivered["due"], delivered["status"]) == (2, None, 200)
    assert delivered["delivered"]
    assert program.received[1][0]["webhook-id"] == headers["webhook-id"]
    assert program.received[1][1] == body

    assert ada.post(f"{PATH}/deliveries/{delivered['id']}/redeliver").status_code == 204
    world.clock.advance(seconds=1)
    deliver(world, ada)
    assert len(program.received) == 3
    assert ada.delete(f"{PATH}/{webhook}").status_code == 204
    assert ada.get(f"{PATH}/{webhook}/deliveries").json()["type"] == "webhook-unknown"


def test_a_program_that_does_not_answer_delays_no_other(reaching: World, program: Program) -> None:
    world, ada = reaching, reaching.admin()
    with Program().running() as other:
        webhooks = [create(ada, each.url, "request.added")[0] for each in (program, other)]
        wish(world, "Doom")
        # Neither answers before both are called.
        program.meeting = other.meeting = threading.Barrier(2)
        deliver(world, ada)
        assert [len(each.received) for each in (program, other)] == [1, 1]
        assert [log_of(ada, each)[0]["status"] for each in webhooks] == [204, 204]


def test_the_others_wait_after_a_delivery_without_an_answer_and_are_sent_in_their_order(
    reaching: World, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, ada = reaching, reaching.admin()
    webhook, _ = create(ada, program.url, "request.added")
    for name in ("Doom", "Quake", "Hexen"):
        wish(world, name)
    monkeypatch.setattr(rules, "SECONDS", 0.0)
    deliver(world, ada)
    assert sorted(each["attempts"] for each in log_of(ada, webhook)) == [0, 0, 1]
    monkeypatch.undo()
    world.clock.advance(seconds=10)
    deliver(world, ada)
    received = [json.loads(body)["data"]["name"] for _, body in program.received]
    assert received == ["Quake", "Hexen", "Doom"]


def test_redirects_are_not_followed(reaching: World, program: Program) -> None:
    world, ada = reaching, reaching.admin()
    webhook, _ = create(ada, program.url)
    program.status = 307
    wish(world, "Doom")
    deliver(world, ada)
    [refused] = log_of(ada, webhook)
    assert (refused["status"], refused["delivered"], len(program.received)) == (307, None, 1)


def test_attempts_end_after_three_days() -> None:
    now = datetime(2026, 11, 23, tzinfo=UTC)
    dues = [rules.next_attempt("game.added", attempts, now=now) for attempts in range(1, len(rules.PAUSES) + 2)]
    assert dues == [*(now + pause for pause in rules.PAUSES), None]


def test_a_test_is_sent_once_to_one_webhook_of_whatever_events(reaching: World, program: Program) -> None:
    ada = reaching.admin()
    webhook, _ = create(ada, program.url, "news.published")
    create(ada, program.url)
    program.status = 500
    answers = at_once([lambda: ada.post(f"{PATH}/{webhook}/test")] * 2)
    assert {each.status_code for each in answers} == {204}
    deliver(reaching, ada)
    [(headers, body)] = program.received
    assert json.loads(body) | {"timestamp": ""} == {"type": "test", "timestamp": "", "data": {"webhook": webhook}}
    [sent] = log_of(ada, webhook)
    assert (sent["id"], sent["eventType"]) == (headers["webhook-id"], "test")
    assert (sent["status"], sent["due"], sent["attempts"]) == (500, None, 1)


def test_a_disabled_webhook_is_not_tested(reaching: World) -> None:
    ada = reaching.admin()
    webhook, _ = create(ada, "https://hooks.example.org/")
    ada.patch(f"{PATH}/{webhook}", {"enabled": False})
    assert ada.post(f"{PATH}/{webhook}/test").json()["type"] == "webhook-disabled"
    assert ada.post(f"{PATH}/x/test").json()["type"] == "webhook-unknown"
    assert log_of(ada, webhook) == []


@pytest.mark.parametrize(
    "host", ["localhost", "x.localhost.", "127.0.0.1", "127.1", "0x7f000001", "192.168.0.1.", "[fd00::1]"]
)
def test_an_address_in_a_private_network_is_refused_before_anything_is_sent(world: World, host: str) -> None:
    ada = world.admin()
    refused = ada.post(PATH, {"url": f"http://{host}/hook", "eventTypes": []})
    assert refused.status_code == 400
    [error] = refused.json()["errors"]
    assert (error["field"], error["code"]) == ("url", "webhook-host-private")
    webhook, _ = create(ada, "https://hooks.example.org/")
    assert ada.patch(f"{PATH}/{webhook}", {"url": f"http://{host}/hook"}).status_code == 400


def test_private_networks_are_not_reached(world: World, program: Program) -> None:
    ada = world.admin()
    webhook, _ = create(ada, "https://hooks.example.org/")
    with world.services.db.write() as session:
        # As if the host had got another address since.
        session.execute(update(Webhook).values(url=program.url))
    wish(world, "Doom")
    deliver(world, ada)
    assert program.received == []
    [refused] = log_of(ada, webhook)
    assert (refused["errorCode"], refused["status"]) == ("webhook-host-private", None)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "0.0.0.0",
        "100.64.0.1",
        "::1",
        "::ffff:10.0.0.1",
        "fe80::1%eth0",
        "fd00::1",
        "64:ff9b::a00:1",
        "fec0::1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "2001:db8::1",
        "2002:a00:1::",
        "224.0.0.1",
        "not an address",
    ],
)
def test_addresses_that_are_not_of_the_internet(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "::ffff:1.1.1.1", "2606:4700:4700::1111"])
def test_addresses_of_the_internet(address: str) -> None:
    assert is_public(address)


def test_webhooks_are_checked_limited_and_for_administrators(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = world.admin(), world.person("bob")
    urls = ("ftp://hooks.example.org/", "https://user@hooks.example.org/", "https://", "https://a b/", "file:///x")
    refused = [ada.post(PATH, {"url": url, "eventTypes": []}) for url in urls]
    assert {(each.status_code, each.json()["type"]) for each in refused} == {(400, "invalid-input")}
    webhook, _ = create(ada, "https://hooks.example.org/")
    changed = ada.patch(f"{PATH}/{webhook}", {"enabled": False}).json()
    assert (changed["enabled"], "secret" in changed) == (False, False)
    assert ada.patch(f"{PATH}/{webhook}", {"url": "https://user@x.example/"}).status_code == 400
    assert {bob.get(PATH).status_code, bob.post(PATH, {"url": urls[0], "eventTypes": []}).status_code} == {403}
    monkeypatch.setattr(rules, "MAX_WEBHOOKS", 1)
    full = ada.post(PATH, {"url": "https://hooks.example.org/", "eventTypes": []})
    assert full.json()["type"] == "too-many-webhooks"
    assert ada.post(f"{PATH}/deliveries/x/redeliver").json()["type"] == "webhook-delivery-unknown"
