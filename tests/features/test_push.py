"""Notifications to browsers: a push service on loopback, and a browser that decrypts as RFC 8291 says."""

import base64
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from joserfc import jwt
from joserfc.jwk import ECKey
from msgspec.structs import replace

from mailing import CHOICE, DELIVERY, finish, notify, waiting
from playdock.features.delivery import push
from playdock.features.delivery.push_encryption import ServerKey, decoded, encoded, encrypt, is_public_key
from playdock.features.delivery.rules import PushAnswer, answer_of
from playdock.features.delivery.service import Deliveries
from playdock.fetching.requests import FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher
from world import Caller, World

BROWSER = f"{DELIVERY}/browser"
PUBLIC = "93.184.215.14"


def derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(material)


def point(private: EllipticCurvePrivateKey) -> bytes:
    numbers = private.public_key().public_numbers()
    return b"\4" + numbers.x.to_bytes(32) + numbers.y.to_bytes(32)


class Browser:
    """A browser with the keys of its subscription."""

    def __init__(self, path: str) -> None:
        self.private = generate_private_key(SECP256R1())
        self.auth = b"a" * 16
        self.subscription = {
            "endpoint": f"https://push.example{path}",
            "publicKey": encoded(point(self.private)),
            "authSecret": encoded(self.auth),
        }

    def read(self, body: bytes) -> dict[str, Any]:
        """Decrypt a message (RFC 8188, section 2 and RFC 8291, section 3)."""
        salt, record_size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        sender, record = body[21 : 21 + length], body[21 + length :]
        assert len(record) <= record_size
        shared = self.private.exchange(ECDH(), EllipticCurvePublicKey.from_encoded_point(SECP256R1(), sender))
        material = derive(self.auth, shared, b"WebPush: info\0" + point(self.private) + sender, 32)
        key = derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(salt, material, b"Content-Encoding: nonce\0", 12)
        content = AESGCM(key).decrypt(nonce, record, None).rstrip(b"\0")
        assert content.endswith(b"\2")
        message: dict[str, Any] = json.loads(content[:-1])
        return message


class PushService:
    """A push service on loopback. Each path can have a status of its own."""

    def __init__(self) -> None:
        self.statuses: dict[str, int] = {}
        self.received: list[tuple[str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.received.append(
                    (self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                )
                self.send_response(service.statuses.get(self.path, 201))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def take(self) -> list[tuple[str, dict[str, str], bytes]]:
        taken, self.received = self.received, []
        return taken


class LoopbackFetcher(Fetcher):
    """Sends to the service on loopback what would go to a push service in the internet."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port

    def fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        assert request.address == PUBLIC
        assert request.url.startswith("https://push.example/")
        url = request.url.replace("https://push.example", f"http://127.0.0.1:{self._port}")
        there = replace(limits, origins=frozenset((origin_of(url),)))
        return super().fetch(replace(request, url=url, address=""), there)


@pytest.fixture
def service(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    """A push service that the world reaches under the name ``push.example``."""
    running = PushService()
    thread = threading.Thread(target=running.server.serve_forever, args=[0.01])
    thread.start()
    fetcher = LoopbackFetcher(running.server.server_port)

    class Sender(push.PushSender):
        def __init__(self, deliveries: Deliveries, name: str, _web: Fetcher) -> None:
            super().__init__(deliveries, name, fetcher, resolve=resolve)

    def resolve(host: str, _port: int) -> Sequence[str]:
        return [PUBLIC if host == "push.example" else "10.0.0.1"]

    monkeypatch.setattr(push, "PushSender", Sender)
    yield running
    fetcher.close()
    running.server.shutdown()
    running.server.server_close()
    thread.join()


def subscribe(caller: Caller, browser: Browser) -> None:
    assert caller.request("PUT", BROWSER, json=browser.subscription).status_code == 204


def deliver(world: World) -> None:
    world.services.deliveries.start_due()
    finish(world, "deliver:push")


@pytest.mark.both_databases
def test_each_browser_gets_a_message_once_and_one_that_is_gone_is_forgotten(world: World, service: PushService) -> None:
    ada = world.admin()
    other = world.with_token(world.sign_in("ada").json()["accessToken"])
    laptop, phone = Browser("/laptop"), Browser("/phone")
    assert ada.request("PUT", DELIVERY, json={**CHOICE, "email": [], "push": ["disk.low"]}).status_code == 204
    subscribe(ada, laptop)
    subscribe(other, phone)
    shown = ada.get(DELIVERY).json()
    assert (shown["push"], shown["isPushOn"]) == (["disk.low"], True)
    service.statuses["/phone"] = 503

    notify(world)
    deliver(world)
    sent = {path: (headers, body) for path, headers, body in service.take()}
    assert set(sent) == {"/laptop", "/phone"}
    headers, body = sent["/laptop"]
    message = laptop.read(body)
    assert (message["title"], message["link"]) == ("The server is running out of disk space", "/admin")
    assert headers["topic"] == message["tag"].replace("-", "")
    assert (headers["content-encoding"], headers["ttl"]) == ("aes128gcm", "604800")
    scheme, _, parameters = headers["authorization"].partition(" ")
    vapid = dict(each.strip().split("=", 1) for each in parameters.split(","))
    assert (scheme, vapid["k"]) == ("vapid", shown["pushKey"])
    key = decoded(vapid["k"])
    public = {"x": encoded(key[1:33]), "y": encoded(key[33:])}
    claims = jwt.decode(vapid["t"], ECKey.import_key({"kty": "EC", "crv": "P-256", **public})).claims
    assert claims["aud"] == "https://push.example"
    assert 0 < claims["exp"] - world.clock().timestamp() < 24 * 3600

    # The browser that has it does not get it again; the other one is gone.
    service.statuses["/phone"] = 410
    world.clock.advance(minutes=2)
    deliver(world)
    assert [path for path, _, _ in service.take()] == ["/phone"]
    assert (other.get(DELIVERY).json()["isPushOn"], waiting(world)) == (False, 0)


def test_a_browser_that_is_signed_out_or_turned_off_gets_nothing(world: World, service: PushService) -> None:
    ada = world.admin()
    assert ada.request("PUT", DELIVERY, json={**CHOICE, "push": ["disk.low"]}).status_code == 204
    guest = world.with_token(world.sign_in("ada").json()["accessToken"])
    subscribe(guest, Browser("/guest"))
    subscribe(ada, Browser("/own"))
    assert ada.delete(BROWSER).status_code == 204
    assert guest.post("/api/v1/auth/signout").status_code == 204
    notify(world)
    deliver(world)
    assert service.take() == []


def test_only_push_services_of_the_internet_are_reached(world: World, service: PushService) -> None:
    ada = world.admin()
    browser = Browser("/x")
    for change in (
        {"endpoint": "http://push.example/x"},
        {"endpoint": "https://user@push.example/x"},
        {"publicKey": encoded(b"\4" + bytes(64))},
        {"publicKey": "ü"},
        {"authSecret": encoded(b"short")},
    ):
        refused = ada.request("PUT", BROWSER, json={**browser.subscription, **change})
        assert refused.json()["type"] == "invalid-input", change
        assert {each["field"] for each in refused.json()["errors"]} == set(change)
    program = world.token_of(ada, "user:update")
    assert program.request("PUT", BROWSER, json=browser.subscription).status_code == 403
    browser.subscription["endpoint"] = "https://router.example/x"
    assert ada.request("PUT", DELIVERY, json={**CHOICE, "push": ["disk.low"]}).status_code == 204
    subscribe(ada, browser)
    notify(world)
    deliver(world)
    assert (service.take(), waiting(world)) == ([], 0)


def test_messages_are_encrypted_as_in_the_example_of_the_rfc() -> None:
    sender = derive_private_key(int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")), SECP256R1())
    body = encrypt(
        b"When I grow up, I want to be a watermelon",
        public_key="BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth_secret="BTBZMqHH6r4Tts7J_aSIgg",
        sender=sender,
        salt=decoded("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert encoded(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_the_key_of_the_server_follows_from_its_secret_key() -> None:
    keys = [ServerKey(bytes(63) + bytes([number])).public for number in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]
    assert all(map(is_public_key, keys))
    assert base64.urlsafe_b64decode(keys[0] + "=")[0] == 4


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (201, PushAnswer.ACCEPTED),
        (404, PushAnswer.GONE),
        (410, PushAnswer.GONE),
        (429, PushAnswer.LATER),
        (500, PushAnswer.LATER),
        (None, PushAnswer.LATER),
        (307, PushAnswer.REFUSED),
        (403, PushAnswer.REFUSED),
    ],
)
def test_answers_of_push_services(status: int | None, answer: PushAnswer) -> None:
    assert answer_of(status) is answer
