"""Signing in and authentication, as the conformance list of Drop's protocol has it."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from websockets.sync.client import ClientConnection, connect

from playdock.auth.device_signatures import verify
from playdock.auth.errors import InvalidNonceSignature, NonceExpired
from playdock.auth.signed_headers import SignedHeader
from waiting import wait_until
from world import World, running_world

from .client import approve, claim, error_of, handshake, initiate, sign_in

PATIENCE = 120.0
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@pytest.fixture
def world(embedded_world: World) -> World:
    return embedded_world


def listening(world: World, code: str) -> ClientConnection:
    address = world.address.replace("http://", "ws://") + "/api/v1/client/auth/code/ws"
    return connect(address, additional_headers={"Authorization": code}, open_timeout=PATIENCE)


def frame(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(timeout=PATIENCE))


def test_a_server_is_recognized(world: World) -> None:
    for address in ("/api/v1", "/api/v1?"):
        found = world.any_user().get(address)
        assert (found.status_code, found.json()["appName"]) == (200, "Drop")


def test_a_client_starts_signing_in(world: World) -> None:
    assert re.fullmatch(f"/client/authorize/{UUID}", initiate(world).text)
    assert re.fullmatch("[0-9A-F]{7}", initiate(world, mode="code").text)
    assert initiate(world).headers["content-type"].startswith("text/plain")
    assert error_of(initiate(world, platform="BeOS")) == (400, "Invalid or unsupported platform")
    assert error_of(initiate(world, capabilities={"flying": {}})) == (400, "Invalid capabilities.")
    assert initiate(world, capabilities={"flying": {}, "PeerAPI": {}}, platform="WINDOWS").status_code == 200


def test_a_browser_approves_a_client(world: World) -> None:
    user, other = world.person("bob"), world.person("eve")
    client_id = initiate(world).text.rpartition("/")[2]
    assert error_of(approve(user, client_id))[0] == 403
    shown = claim(user, client_id).json()
    assert (shown["name"], shown["platform"], shown["mode"]) == ("myhost (Desktop)", "Linux", "callback")
    assert error_of(claim(other, client_id))[0] == 400
    assert error_of(approve(other, client_id))[0] == 403
    assert error_of(claim(world.any_user(), client_id))[0] == 403
    assert error_of(handshake(world, f"{client_id}/x")) == (400, "Un-authorized client ID")
    approved = approve(user, client_id).json()
    assert error_of(handshake(world, f"{client_id}/{client_id}")) == (403, "Invalid token")
    assert error_of(world.any_user().post("/api/v1/client/auth/handshake", {"clientId": client_id}))[0] == 400
    received = handshake(world, approved["token"]).json()
    assert received["id"] == client_id
    assert error_of(handshake(world, approved["token"])) == (403, "Invalid client ID")
    check_certificate(world, received)


def check_certificate(world: World, received: dict[str, str]) -> None:
    key = load_pem_private_key(received["private"].encode(), None)
    certificate = x509.load_pem_x509_certificate(received["certificate"].encode())
    ca = x509.load_pem_x509_certificate((world.services.settings.data_dir / "drop-ca.pem").read_bytes())
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key.public_key().public_bytes(*form) == certificate.public_key().public_bytes(*form)
    assert certificate.subject.rfc4514_string() == f"O=Drop,CN={received['id']}"
    signer = ca.public_key()
    assert isinstance(signer, EllipticCurvePublicKey)
    signer.verify(certificate.signature, certificate.tbs_certificate_bytes, ECDSA(SHA256()))
    assert certificate.issuer == ca.subject == ca.issuer


def test_a_request_expires_after_ten_minutes(world: World) -> None:
    user, client_id = world.person(), initiate(world).text.rpartition("/")[2]
    world.clock.advance(minutes=9)
    assert claim(user, client_id).status_code == 200
    world.clock.advance(minutes=2)
    assert error_of(claim(user, client_id))[0] == 404


def test_a_client_that_shows_a_code_receives_its_token(world: World) -> None:
    user, code = world.person(), initiate(world, mode="code").text
    found = user.get("/api/v1/client/auth/code", params={"code": code.lower()})
    client_id = found.text
    assert claim(user, client_id).json()["mode"] == "code"
    assert error_of(user.post("/api/v1/client/auth/code", {"id": client_id}))[0] == 409
    with listening(world, code) as socket:
        statuses: list[int] = []

        def approved() -> bool:
            statuses.append(user.post("/api/v1/client/auth/code", {"id": client_id}).status_code)
            return statuses[-1] == 200

        wait_until(approved)
        told = frame(socket)
    assert told["type"] == "token"
    assert handshake(world, told["value"]).status_code == 200
    assert error_of(user.get("/api/v1/client/auth/code", params={"code": "0000000"}))[0] == 404
    with listening(world, "0000000") as socket:
        assert frame(socket)["type"] == "error"


def test_requests_are_signed_with_the_time(world: World) -> None:
    client = sign_in(world, world.person())
    for seconds in (-29, 29):
        client.offset_ms = seconds * 1000
        assert client.call("GET", "/api/v1/client/user").status_code == 200
    client.offset_ms = 0
    scheme, client_id, nonce, signature = client.header().split()
    refused = {
        "": 403,
        f"Nonce {client_id} {nonce}": 403,
        f"Basic {client_id} {nonce} {signature}": 403,
        f"Nonce {client_id} {nonce} {signature[:-2]}": 403,
        f"Nonce {client_id} {nonce} {signature[:-1]}": 403,
        f"Nonce {client_id} {nonce} {'x' * 192}": 403,
        f"Nonce {client_id} soon {signature}": 403,
        f"Nonce {client_id} {nonce}x {signature}": 403,
        f"Nonce {client_id} {int(nonce) + 1} {signature}": 403,
        f"Nonce {world.any_user().token or 'nobody'} {nonce} {signature}": 403,
    }
    statuses = {}
    for header in refused:
        answer = client.caller.get("/api/v1/client/user", headers={"Authorization": header})
        statuses[header] = error_of(answer)[0]
    assert statuses == refused
    for seconds in (-32, 32):
        client.offset_ms = seconds * 1000
        assert error_of(client.call("GET", "/api/v1/client/user")) == (403, "Nonce expired")
    assert scheme == "Nonce"


def test_a_client_is_a_device_and_is_signed_out_like_one(world: World) -> None:
    user = world.person()
    client = sign_in(world, user)
    shown = client.get("/api/v1/client/user")
    types = {"id": str, "username": str, "admin": bool, "displayName": str, "profilePictureObjectId": str}
    assert {name: type(shown[name]) for name in types} == types
    token = client.call("POST", "/api/v1/client/user/webtoken").text
    view = world.with_token(token)
    assert view.get("/api/v1/store").status_code == 200
    assert view.get("/api/v1/user").json()["username"] == "bob"
    assert view.post("/api/v1/collection", {"name": "mine"}).status_code == 403
    assert [each["id"] for each in user.get("/api/v1/user/client").json()] == [client.client_id]
    assert user.get("/api/v1/user/installations").json() == []
    assert user.delete(f"/api/v1/user/client/{client.client_id}").status_code == 204
    assert error_of(client.call("GET", "/api/v1/client/user")) == (403, "Invalid client ID")
    assert view.get("/api/v1/store").status_code == 401


def test_a_new_password_signs_clients_out_that_are_just_being_approved(world: World) -> None:
    user, admin = world.person(), world.admin()
    client_id = initiate(world).text.rpartition("/")[2]
    claim(user, client_id)
    pair = approve(user, client_id).json()["token"]
    admin.delete(f"/api/v1/admin/users/{user.user['id']}/client")
    assert error_of(handshake(world, pair)) == (403, "Invalid client ID")


_KEY_OF_VECTOR = """-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEAYquvONWjNCNve5i6B0FfBQF/qEcG6t7
bDbkTxcfALcclrTpYZImE1wwXNSkHEo2fvFE6rzuTd4FLUk/vr7j+h/xzvXpsawx
MLxSWfGb3hwrBbJwxr/EyY4qbsjDkTqy
-----END PUBLIC KEY-----
"""
_SIGNATURE_OF_VECTOR = (
    "940ae1472362574a9d6eef21923c2a9e7b9de7fd236e198b63ac434b73a4c5b9"
    "6e3b6481e3cba218ee2281af380284b3c8e5aa58c26b99a8ecb1b14f1c9a86d5"
    "e71117ffc0cc5dd8aac66959c4d279bf7499b2afc2d0b882b197c6a3f2784e01"
)


def test_the_documented_signature_is_valid() -> None:
    key = load_pem_public_key(_KEY_OF_VECTOR.encode())
    assert isinstance(key, EllipticCurvePublicKey)
    signed = datetime.fromtimestamp(1_700_000_000, UTC)
    header = SignedHeader.parse(f"Nonce id 1700000000000 {_SIGNATURE_OF_VECTOR}")
    upper = SignedHeader.parse(f"Nonce id 1700000000000 {_SIGNATURE_OF_VECTOR.upper()}")
    assert header
    assert upper
    for each in (header, upper):
        for seconds in (-29, 29):
            verify(each, key, now=signed + timedelta(seconds=seconds))
    for seconds in (-31, 31):
        with pytest.raises(NonceExpired):
            verify(header, key, now=signed + timedelta(seconds=seconds))
    # The same in the form in which other programs write signatures.
    r, s = int(_SIGNATURE_OF_VECTOR[:96], 16), int(_SIGNATURE_OF_VECTOR[96:], 16)
    with pytest.raises(InvalidNonceSignature):
        verify(SignedHeader("nonce", "id", ("1700000000000", encode_dss_signature(r, s).hex())), key, now=signed)


def test_the_setting_removes_the_routes(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, drop_clients=False) as world:
        user = world.person()
        paths = ("/api/v1", "/api/v1/client/user", "/api/v1/client/auth?id=x", "/api/v1/depot/manifest.json")
        assert {user.get(path).status_code for path in paths} == {404}
        assert user.get("/api/v1/user").status_code == 200
