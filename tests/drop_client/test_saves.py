"""Saved games of Drop's clients, as the conformance list of Drop's protocol has them."""

import hashlib
from typing import Any

import httpx2
import pytest

from games import add_game
from playdock.metadata.game_metadata import GameMetadata
from playdock.models import SaveSlot
from world import World

from .client import DropClient, claim, error_of, handshake, initiate, sign_in

SAVES = "/api/v1/client/saves"


@pytest.fixture
def world(embedded_world: World) -> World:
    return embedded_world


def push(client: DropClient, game: str, index: int, content: bytes) -> httpx2.Response:
    headers = {"Authorization": client.header()}
    return client.caller.request("POST", f"{SAVES}/{game}/{index}/push", content=content, headers=headers)


def test_slots_are_created_listed_and_deleted(world: World) -> None:
    user = world.admin()
    client, game, other = sign_in(world, user), add_game(world, GameMetadata("Portal")), "nothing"
    assert client.call("GET", f"{SAVES}/settings").text == '{"slotLimit":5,"sizeLimit":512,"history":10}'
    assert client.get(SAVES) == []
    assert client.get(f"{SAVES}/{game}") == []

    made = client.call("POST", f"{SAVES}/{game}")
    assert made.status_code == 200
    with world.services.db.read() as session:
        created = session.query(SaveSlot).one().created.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert made.text == (
        f'{{"gameId":"{game}","userId":"{user.user["id"]}","index":0,"createdAt":"{created}","playtime":0,'
        f'"lastUsedClientId":"{client.client_id}","historyObjectIds":[],"historyChecksums":[]}}'
    )
    assert client.call("GET", f"{SAVES}/{game}/0").text == made.text
    assert client.get(f"{SAVES}/{game}") == client.get(SAVES) == [made.json()]

    indexes = [client.call("POST", f"{SAVES}/{game}").json()["index"] for _ in range(4)]
    assert indexes == [1, 2, 3, 4]
    assert error_of(client.call("POST", f"{SAVES}/{game}")) == (400, "Out of save slots")
    gone = client.call("DELETE", f"{SAVES}/{game}/2")
    assert (gone.status_code, gone.content) == (204, b"")
    assert client.call("POST", f"{SAVES}/{game}").json()["index"] == 2
    client.call("DELETE", f"{SAVES}/{game}/1")

    for method in ("GET", "DELETE"):
        assert error_of(client.call(method, f"{SAVES}/{game}/1")) == (404, "Save not found")
        assert error_of(client.call(method, f"{SAVES}/{game}/one")) == (400, "Invalid slotIndex")
        assert error_of(client.call(method, f"{SAVES}/{other}/1")) == (400, "Invalid game ID")
    assert error_of(client.call("GET", f"{SAVES}/{other}")) == (400, "Invalid game ID")
    assert error_of(client.call("POST", f"{SAVES}/{other}")) == (400, "Invalid game ID")


def test_saves_are_pushed_bounded_and_read_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client, game = sign_in(world, world.admin()), add_game(world, GameMetadata("Portal"))
    monkeypatch.setattr(world.services.settings, "saves_kept", 3)
    client.call("POST", f"{SAVES}/{game}")
    contents = [bytes([number]) * (number + 1) for number in range(5)]
    for content in contents:
        pushed = push(client, game, 0, content)
        assert (pushed.status_code, pushed.content) == (204, b"")
    slot = client.get(f"{SAVES}/{game}/0")
    assert slot["historyChecksums"] == [hashlib.sha256(each).hexdigest() for each in contents[2:]]
    read = [client.call("GET", f"/api/v1/client/object/{each}") for each in slot["historyObjectIds"]]
    assert [each.content for each in read] == contents[2:]
    assert {each.headers["content-type"] for each in read} == {"application/octet-stream"}

    stranger = sign_in(world, world.person("bob"))
    assert stranger.call("GET", f"/api/v1/client/object/{slot['historyObjectIds'][0]}").status_code == 404
    assert error_of(push(stranger, game, 0, b"x")) == (404, "Save not found")
    assert (stranger.get(SAVES), error_of(push(client, game, 1, b"x"))) == ([], (404, "Save not found"))
    monkeypatch.setattr(world.services.settings, "saves_max_bytes", 1024 * 1024)
    assert client.get(f"{SAVES}/settings")["sizeLimit"] == 1
    assert push(client, game, 0, bytes(1024 * 1024 + 1)).status_code == 413
    assert client.get(f"{SAVES}/{game}/0") == slot


def test_a_client_needs_the_capability(world: World) -> None:
    user, game = world.admin(), add_game(world, GameMetadata("Portal"))
    client_id = initiate(world, capabilities={"PeerAPI": {}}).text.removeprefix("/client/authorize/")
    claim(user, client_id)
    approved: Any = user.post("/api/v1/client/auth/callback", {"id": client_id}).json()
    client = DropClient.of(world, handshake(world, approved["token"]).json())
    calls = [("GET", SAVES), ("GET", f"{SAVES}/settings"), ("POST", f"{SAVES}/{game}"), ("DELETE", f"{SAVES}/{game}/0")]
    refused = {error_of(client.call(*call)) for call in calls} | {error_of(push(client, game, 0, b""))}
    assert refused == {(403, "Capability not allowed.")}

    unknown = client.call("POST", "/api/v1/client/capability", {"capability": "flying", "configuration": {}})
    assert error_of(unknown) == (400, "Invalid capabilities.")
    accepted = client.call("POST", "/api/v1/client/capability", {"capability": "cloudSaves", "configuration": {}})
    assert (accepted.status_code, accepted.text) == (200, "{}")
    assert client.get(SAVES) == []
