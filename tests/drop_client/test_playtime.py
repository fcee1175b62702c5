"""Play time that forks of Drop's client send."""

from typing import Any

from games import add_game
from playdock.metadata.game_metadata import GameMetadata
from world import World

from .client import sign_in

PATH = "/api/v1/client/playtime"


def test_runs_of_a_drop_client_are_counted_once(embedded_world: World) -> None:
    ada, game = embedded_world.admin(), add_game(embedded_world, GameMetadata("Portal"))
    client = sign_in(embedded_world, ada)
    begun, ended = "2026-01-02T03:04:05.123456789Z", "2026-01-02T04:04:05.123456789Z"
    times = {"seconds": 3600, "startedAt": begun, "endedAt": ended}
    body: dict[str, Any] = {"sessions": [{"id": "a", "gameId": game, **times}, {"id": "b", "gameId": "gone", **times}]}

    for _ in range(2):
        sent = client.call("POST", PATH, body)
        assert (sent.status_code, sent.json()) == (200, {"accepted": ["a", "b"]})
    [record] = ada.get("/api/v1/user/play-records").json()
    assert (record["gameId"], record["seconds"], record["lastPlayed"][:19]) == (game, 3600, begun[:19])
    [session] = ada.get(f"/api/v1/user/play-records/{game}/sessions").json()
    assert session["device"] is not None
    body["sessions"][0] |= {"id": "c", "startedAt": "2090-01-01T00:00:00Z"}
    assert client.call("POST", PATH, body).json() == {"accepted": ["b"]}
