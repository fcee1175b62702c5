"""Notifications to chat services, which users enter and administrators allow."""

import io
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mailing import CHOICE, DELIVERY, configure, finish, notify, waiting
from playdock.features.delivery.chat import ChatSender, _environment
from playdock.features.delivery.rules import ChatMode, DeliveryChannel, is_chat_allowed
from playdock.features.delivery.service import _task
from playdock.fetching.errors import MessageRefused
from world import World


@dataclass
class ChatService:
    """A service on loopback that keeps what it is sent."""

    url: str = ""
    status: int = 200
    is_endless: bool = False
    received: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def chat() -> Iterator[ChatService]:
    state = ChatService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if state.status == 200:
                state.received.append(json.loads(body))
            self.send_response(state.status)
            self.send_header("Location", f"{state.url.replace('json', 'http')}elsewhere")
            self.end_headers()
            with suppress(OSError):
                while state.is_endless:
                    self.wfile.write(bytes(1024**2))

        def log_message(self, *_: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        state.url = f"json://127.0.0.1:{server.server_port}/"
        yield state
        server.shutdown()
        thread.join()


def test_a_notification_is_sent_to_the_chat_service_of_a_user(world: World, chat: ChatService) -> None:
    ada = world.admin()
    configure(world, chat_delivery="anywhere")
    wanted = {**CHOICE, "chat": ["disk.low"], "language": "de"}
    assert ada.request("PUT", DELIVERY, json={**wanted, "chatUrl": chat.url}).status_code == 204
    # The URL is kept, and never shown.
    assert ada.request("PUT", DELIVERY, json=wanted).status_code == 204
    state = ada.get(DELIVERY)
    assert chat.url not in state.text
    assert (state.json()["isChatSet"], state.json()["chat"]) == (True, ["disk.low"])
    assert ada.post(f"{DELIVERY}/chat/test", {}).status_code == 204
    assert "arrive here" in chat.received.pop()["message"]

    notify(world)
    chat.status = 500
    world.services.deliveries.start_due()
    finish(world, "deliver:chat")
    assert waiting(world) == 1
    chat.status = 200
    world.clock.advance(minutes=2)
    for _ in range(2):
        world.services.deliveries.start_due()
        finish(world, "deliver:chat")

    [message] = chat.received
    assert message["title"].startswith("1 Benachrichtigung von ")
    assert message["message"].startswith("Der Speicherplatz des Servers wird knapp\n")
    assert f"{world.services.settings.address}/admin" in message["message"]
    assert waiting(world) == 0


def test_a_service_that_redirects_or_refuses_is_reported(world: World, chat: ChatService) -> None:
    ada = world.admin()
    configure(world, chat_delivery="anywhere")
    for status in (307, 404):
        chat.status = status
        refused = ada.post(f"{DELIVERY}/chat/test", {"chatUrl": chat.url})
        assert (refused.status_code, refused.json()["type"]) == (502, "chat-unavailable")
        reason = refused.json()["parameters"]["reason"]
        assert reason["code"] == "chat-refused"
        assert reason["parameters"]["reason"].startswith("Failed to send JSON")
    assert chat.received == []


def test_a_service_that_answers_without_end_is_given_up(world: World, chat: ChatService) -> None:
    ada = world.admin()
    configure(world, chat_delivery="anywhere")
    chat.is_endless = True
    refused = ada.post(f"{DELIVERY}/chat/test", {"chatUrl": chat.url})
    assert refused.json()["parameters"]["reason"]["code"] == "chat-failed"

    services = world.services
    sender = ChatSender(services.settings, "Games", services.deliveries.secret_key, seconds=0.1)
    with pytest.raises(MessageRefused) as late:
        sender.send_test(chat.url)
    assert (late.value.reason.code, late.value.temporary) == ("chat-timeout", True)


def test_the_process_that_sends_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hidden")
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    environment = _environment()
    assert ("SECRET_KEY" in environment, environment["https_proxy"]) == (False, "http://proxy.example")


def test_one_message_is_tested_at_a_time(world: World, chat: ChatService) -> None:
    ada = world.admin()
    configure(world, chat_delivery="anywhere")
    with world.services.deliveries._chat_test:
        refused = ada.post(f"{DELIVERY}/chat/test", {"chatUrl": chat.url})
    assert refused.json()["parameters"]["reason"]["code"] == "chat-busy"


def test_email_does_not_wait_for_chat_services() -> None:
    assert len({_task(channel).queue for channel in DeliveryChannel}) == len(DeliveryChannel)


@pytest.mark.parametrize(
    ("mode", "url", "status"),
    [
        ("services", "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", 204),
        ("services", "json://127.0.0.1:1/", 400),
        ("services", "nonsense", 400),
        ("anywhere", "json://127.0.0.1:1/", 204),
        ("anywhere", "nonsense", 400),
        ("off", "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", 400),
    ],
)
def test_administrators_decide_where_messages_are_sent(world: World, mode: str, url: str, status: int) -> None:
    ada = world.admin()
    configure(world, chat_delivery=mode)
    changed = ada.request("PUT", DELIVERY, json={**CHOICE, "chatUrl": url})
    assert changed.status_code == status
    if status == 400:
        assert changed.json()["errors"][0]["field"] == "chatUrl"


def test_a_url_that_is_no_longer_allowed_is_not_used(world: World, chat: ChatService) -> None:
    ada = world.admin()
    configure(world, chat_delivery="anywhere")
    wanted = {**CHOICE, "chat": ["disk.low"], "chatUrl": chat.url}
    assert ada.request("PUT", DELIVERY, json=wanted).status_code == 204
    notify(world)
    configure(world, chat_delivery="services")
    world.services.deliveries.start_due()
    finish(world, "deliver:chat")
    assert (chat.received, waiting(world)) == ([], 0)


@pytest.mark.parametrize(
    ("service", "mode", "allowed"),
    [
        ("discord", ChatMode.SERVICES, True),
        ("jsons", ChatMode.SERVICES, False),
        ("('matrixs', 'matrix')", ChatMode.SERVICES, False),
        ("jsons", ChatMode.ANYWHERE, True),
        ("discord", ChatMode.OFF, False),
    ],
)
def test_only_services_at_fixed_hosts_are_allowed_by_default(service: str, mode: ChatMode, *, allowed: bool) -> None:
    assert is_chat_allowed(service, mode) is allowed


def test_a_url_with_spaces_is_refused_in_words(world: World) -> None:
    ada = world.admin()

    refused = ada.request("PUT", DELIVERY, json={**CHOICE, "chatUrl": "discord://a b"})

    [error] = refused.json()["errors"]
    assert (refused.status_code, error["field"], error["code"]) == (400, "chatUrl", "rule-chat-url")


@pytest.mark.parametrize("url", ["tgram//123456789:AASECRET/chat", "discord:/123456789/SECRET"])
def test_a_mistyped_url_is_not_logged(world: World, url: str) -> None:
    ada, log = world.admin(), io.StringIO()
    # As in a service: pytest's own handler gets all records.
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        assert ada.request("PUT", DELIVERY, json={**CHOICE, "chatUrl": url}).status_code == 400
    finally:
        logging.getLogger().removeHandler(handler)
    assert "SECRET" not in log.getvalue()
