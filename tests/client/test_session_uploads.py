"""Play sessions get from a device to the server: once each, and later if the server cannot be reached."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from client.commands.conftest import Player, ServerWithGames, player, shop
from devices import device
from playdock_client.connection import Server
from playdock_client.errors import ServerUnavailable
from playdock_client.playing.session_uploads import SessionUploads
from playdock_client.playing.sessions import PlaySession, SessionJournal

__all__ = ["player", "shop"]


def records(shop: ServerWithGames) -> list[Any]:
    found: list[Any] = shop.admin.get("/api/v1/user/play-records").json()
    return found


@pytest.fixture
def signed_in(player: Player, shop: ServerWithGames) -> Player:
    """A player whose device the server knows."""
    player.sign_in(shop.address, device(shop.world, shop.admin).token)
    return player


def write(player: Player, shop: ServerWithGames, name: str, *, ago: float = 3600, **values: Any) -> PlaySession:
    """Write the record of a session, as the launcher does."""
    started = datetime.now(UTC) - timedelta(seconds=ago)
    known = {"server": shop.address, "game": shop.game, "name": "Doom", "version": "v1", "version_name": "1.0"}
    session = PlaySession(**{"id": name, "folder": "/doom", "started": started, "seconds": 60.4, **known, **values})
    SessionJournal(player.folders.sessions).write(session)
    return session


def test_a_game_that_has_ended_is_counted_once(signed_in: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"#!/bin/sh\nexit 0\n"}, executable="doom")
    assert signed_in.run("install", "Doom").status == 0
    assert signed_in.run("launch", "Doom").status == 0
    [session] = shop.admin.get(f"/api/v1/user/play-records/{shop.game}/sessions").json()
    assert (session["version"], session["device"]) == ("1.0", "Ada's laptop")

    # As if the client had been killed before it noted that the server has the session.
    [mark] = signed_in.folders.sessions.glob("*.uploaded")
    mark.unlink()
    assert signed_in.run("launch", "Doom").status == 0
    assert len(shop.admin.get(f"/api/v1/user/play-records/{shop.game}/sessions").json()) == 2
    assert len(list(signed_in.folders.sessions.glob("*.uploaded"))) == 2


def test_what_waited_is_sent_when_the_server_is_back(signed_in: Player, shop: ServerWithGames) -> None:
    journal = SessionJournal(signed_in.folders.sessions)
    for number in range(3):
        write(signed_in, shop, f"s{number}")
    write(signed_in, shop, "elsewhere", server="https://games.example.org")
    write(signed_in, shop, "installer", set_up=True)
    write(signed_in, shop, "removed-game", game="gone")
    write(signed_in, shop, "wrong-clock", ago=-7200)
    (signed_in.folders.sessions / "damaged.json").write_bytes(b"{")
    uploads = SessionUploads(signed_in.folders, shop.address)
    token = device(shop.world, shop.admin).token

    with pytest.raises(ServerUnavailable), Server("http://127.0.0.1:1", token, retry_seconds=0) as absent:
        uploads.run(absent)
    with journal.locked("s2"), Server(shop.address, token) as server:
        uploads.run(server)
        assert records(shop)[0]["seconds"] == 120
    with Server(shop.address, token) as server:
        uploads.run(server)
        assert records(shop)[0]["seconds"] == 180
        # The session from the future is kept for a later start.
        SessionUploads(signed_in.folders, shop.address).run(server)
    assert records(shop)[0]["seconds"] == 180
    marked = sorted(each.stem for each in signed_in.folders.sessions.glob("*.uploaded"))
    assert marked == ["removed-game", "s0", "s1", "s2"]
    assert Path(signed_in.folders.sessions / "wrong-clock.json").exists()


def test_a_token_without_the_permission_changes_nothing(player: Player, shop: ServerWithGames) -> None:
    write(player, shop, "s1")
    with Server(shop.address, shop.program.token) as server:
        SessionUploads(player.folders, shop.address).run(server)
    assert (records(shop), list(player.folders.sessions.glob("*.uploaded"))) == ([], [])
