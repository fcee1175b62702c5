"""A game from the store to its end, as the app's pages do it."""

from pathlib import Path

from client.app.window import Window
from client.commands.conftest import Player, ServerWithGames

_PROGRAM = b"#!/bin/sh\necho playing > played\nwhile [ ! -e stop ]; do sleep 0.05; done\n"


def test_a_game_is_installed_played_updated_and_removed(window: Window, shop: ServerWithGames, member: Player) -> None:
    shop.release("1.0", {"doom": _PROGRAM, "level": b"1" * 100_000}, executable="doom")

    window.do("POST", f"games/{shop.game}/install")
    state = window.wait_for_jobs()
    assert [job["state"] for job in state["jobs"]] == ["done"], state
    [game] = state["games"]
    assert (game["game"], game["name"], game["state"], game["version"]["name"]) == (
        shop.game,
        "Doom",
        "installed",
        "1.0",
    )
    folder = Path(game["folder"])
    assert folder.is_relative_to(member.home)

    window.do("POST", f"games/{shop.game}/launch")
    window.wait(lambda now: [each["game"] for each in now["running"]] == [shop.game])
    window.do("POST", f"games/{shop.game}/stop")
    state = window.wait(lambda now: not now["running"] and not now["starting"])
    assert (folder / "played").exists()
    assert [each["game"] for each in state["played"]] == [shop.game]
    assert state["launchProblems"] == []

    newer = shop.release("2.0", {"doom": _PROGRAM, "level": b"2" * 100_000}, executable="doom")
    window.do("POST", "updates")
    state = window.wait(lambda now: now["games"][0]["version"]["id"] == newer)
    assert (folder / "level").read_bytes() == b"2" * 100_000

    window.do("POST", f"games/{shop.game}/uninstall", {"removeOwn": True})
    state = window.wait(lambda now: not now["games"])
    assert not folder.exists()


def test_the_pages_of_the_server_are_shown_as_the_player(window: Window) -> None:
    page = window.get("/store", accept="text/html")
    assert page.status_code == 200
    assert '<meta name="playdock-client" content="1">' in page.text
    assert window.get("/api/v1/user").json()["username"] == "ada"
