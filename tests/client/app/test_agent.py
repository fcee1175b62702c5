"""The app and other processes: one per player, windows, attacks, a server that is gone, and the first start."""

import json
import os
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import httpx2
import pytest

from client.app.window import PATIENCE, App, Window, running_app, wait_for_lines
from client.commands.conftest import Player, ServerWithGames
from client.proxy import proxy
from playdock_client import api
from world import NO_TLS


def test_a_second_start_uses_the_first(app: App, member: Player) -> None:
    with app.window() as window:
        assert '<meta name="playdock-client" content="1">' in window.get("/", accept="text/html").text
    second = member.run("app", "--no-window", "--json", "--big")
    assert second.status == 0, second.err
    assert second.document["link"].startswith(app.origin)
    with app.window(second.document["link"]) as window:
        assert window.state()["online"]
        assert '<meta name="playdock-client" content="big">' in window.get("/", accept="text/html").text


def test_a_link_opens_one_window(app: App) -> None:
    with app.window() as window:
        assert window.get("/api/v1/user").status_code == 200
    with httpx2.Client(verify=NO_TLS, trust_env=False, timeout=PATIENCE) as stranger:
        assert stranger.get(app.link).status_code == 403
        assert stranger.get(f"{app.origin}/api/v1/user").status_code == 401
        forged = stranger.post(
            f"{app.origin}/_client/instance", json={}, headers={"Authorization": "Bearer guess", "Origin": app.origin}
        )
        assert forged.status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_other_pages_get_nothing(window: Window, headers: dict[str, str], status: int) -> None:
    response = window.http.get(f"{window.origin}/api/v1/user", headers=headers)
    assert response.status_code == status
    assert "ada" not in response.text


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "games/../../etc/install", {}, 404),
        ("POST", "games/00000000-0000-0000-0000-000000000000/launch", None, 404),
        ("POST", "games/00000000-0000-0000-0000-000000000000/install", {"folder": "/etc"}, 404),
        ("POST", "games/00000000-0000-0000-0000-000000000000/install", {"path": "/etc"}, 400),
        ("POST", "folders", {"folder": "/etc"}, 404),
        ("POST", "folders", [], 400),
        ("PUT", "settings", {"limitRate": 1}, 400),
        ("DELETE", "jobs/00000000-0000-0000-0000-000000000000", None, 404),
        ("GET", "nothing", None, 404),
    ],
)
def test_calls_take_only_what_is_known(window: Window, method: str, path: str, body: object, status: int) -> None:
    response = window.call(method, path, body)
    assert response.status_code == status, response.text
    assert response.json()["detail"]


def test_a_game_has_shortcuts_properties_and_an_entry_in_steam(
    window: Window, shop: ServerWithGames, member: Player
) -> None:
    shop.release("1.0", {"doom": b"#!/bin/sh\nexec sleep 600\n"}, executable="doom")
    account = member.home / ".local/share/Steam/userdata/7/config"
    account.mkdir(parents=True)
    window.do("POST", f"games/{shop.game}/install", {"shortcuts": ["menu"]})
    window.wait_for_jobs()
    game = f"games/{shop.game}"
    details = window.call("GET", f"{game}/details").json()
    assert (details["shortcuts"], details["steam"], details["missing"]) == (["menu"], False, [])

    window.do("PUT", f"{game}/shortcuts", {"places": ["desktop"]})
    window.do("PUT", f"{game}/steam", {"present": True})
    window.do("PUT", f"{game}/properties", {"program": "doom", "arguments": "-fast", "environment": {"LANG": "C"}})
    details = window.call("GET", f"{game}/details").json()
    assert (details["shortcuts"], details["steam"]) == (["desktop"], True)
    assert details["properties"]["arguments"] == "-fast"
    assert (account / "shortcuts.vdf").is_file()
    other = member.home / "other"
    other.mkdir()
    (member.folders.config / "app.json").write_text(json.dumps({"folders": [{"id": "other", "path": str(other)}]}))
    window.do("POST", f"{game}/move", {"folder": "other"})
    window.wait(lambda now: [each["folder"] for each in now["games"]] == [str(other / "Doom")])
    window.wait_for_jobs()
    moved = window.call("GET", f"{game}/details").json()
    assert (moved["shortcuts"], moved["steam"], moved["properties"]) == (["desktop"], True, details["properties"])
    programs = [{"program": each} for each in ("/bin/sh", "../../bin/sh", "nothing")]
    for wrong in ({"proton": "/tmp/proton"}, {"environment": {"LD_PRELOAD x": "1"}}, *programs):
        assert window.call("PUT", f"{game}/properties", wrong).status_code == 409

    window.do("POST", f"{game}/uninstall", {"removeOwn": True})
    window.wait(lambda now: not now["games"])
    assert not (account / "shortcuts.vdf").exists()
    assert list(member.home.rglob("playdock-*.desktop")) == []


def test_an_existing_folder_is_recognized(window: Window, shop: ServerWithGames, member: Player) -> None:
    for version in ("1.0", "2.0"):
        files = {"doom": b"#!/bin/sh\n", "level": version.encode() * 10_000}
        shop.release(version, files, executable="doom")
    copied = member.folders.data / "games" / "My old Doom"
    copied.mkdir(parents=True)
    (copied / "doom").write_bytes(b"#!/bin/sh\n")
    (copied / "level").write_bytes(b"1.0" * 10_000)
    window.do(
        "PUT", "settings", {"limitRate": None, "pauseWhilePlaying": True, "hours": None, "automaticUpdates": False}
    )
    [folder] = window.call("GET", "adoptable").json()
    assert folder["path"] == str(copied)
    window.do("POST", f"games/{shop.game}/adopt", {"folder": folder["id"]})
    state = window.wait_for_jobs()
    [game] = state["games"]
    assert (game["version"]["name"], game["folder"]) == ("1.0", str(copied))
    assert not list(copied.glob("*.yours"))


def test_a_link_of_a_page_opens_the_game(app: App, member: Player, shop: ServerWithGames) -> None:
    link = f"playdock://install/{quote(shop.address, safe='')}/{shop.game}"
    opened = member.run("app", "--no-window", "--json", link)
    assert opened.status == 0, opened.err
    assert parse_qs(urlsplit(opened.document["link"]).query)["to"] == [f"/games/{shop.game}"]
    assert opened.document["link"].startswith(app.origin)
    for wrong in ("playdock://install/x", "playdock://run/a/b"):
        assert member.run("open-url", wrong).status == 1


def test_the_token_is_nowhere_in_the_answers(window: Window, shop: ServerWithGames) -> None:
    answers = [window.get(path).text for path in ("/", "/_client/v1/state", "/api/v1/user")]
    assert shop.program.token
    assert not any(shop.program.token in answer for answer in answers)
    assert "set-cookie" not in window.get("/").headers


def test_events_are_sent_when_something_changes(window: Window, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"#!/bin/sh\n"}, executable="doom")
    seen: list[str] = []
    with window.http.stream("GET", f"{window.origin}/_client/v1/events") as events:
        assert events.headers["content-type"] == "text/event-stream"
        threading.Timer(0.1, window.do, ["POST", f"games/{shop.game}/install"]).start()
        for line in events.iter_lines():
            if line.startswith("data: "):
                seen += [game["state"] for game in json.loads(line.removeprefix("data: "))["games"]]
            if "installed" in seen:
                break
    assert "installed" in seen


def test_without_its_server_the_library_remains(player: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"#!/bin/sh\nsleep 30\n"}, executable="doom")
    pages = ("/", f"/games/{shop.game}", f"/api/v1/games/{shop.game}", "/api/v1/user")
    with proxy(shop.address) as server:
        player.sign_in(server.address, shop.program.token)
        with running_app(player) as app, app.window() as window:
            window.do("POST", f"games/{shop.game}/install")
            window.wait_for_jobs()
            shown = [window.get(path, accept="text/html").text for path in pages]
    # The server is gone, and the app starts again.
    with running_app(player) as app, app.window() as window:
        state = window.wait(lambda now: not now["online"])
        assert [(game["name"], game["state"]) for game in state["games"]] == [("Doom", "installed")]
        assert [window.get(path, accept="text/html").text for path in pages] == shown
        assert window.get("/api/v1/user/token").status_code == 503
        window.do("POST", f"games/{shop.game}/launch")
        window.wait(lambda now: [each["game"] for each in now["running"]] == [shop.game])
        window.do("POST", f"games/{shop.game}/stop")


def test_a_killed_app_finds_the_game_that_it_started(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"#!/bin/sh\nexec sleep 600\n"}, executable="doom")
    with running_app(member, shop.address) as app, app.window() as window:
        window.do("POST", f"games/{shop.game}/install")
        window.wait_for_jobs()
        window.do("POST", f"games/{shop.game}/launch")
        window.wait(lambda now: now["running"])
        app.process.kill()
        app.process.wait(PATIENCE)
    with running_app(member, shop.address) as app, app.window() as window:
        assert [each["game"] for each in window.wait(lambda now: now["running"])["running"]] == [shop.game]
        window.do("POST", f"games/{shop.game}/stop")
        window.wait(lambda now: not now["running"] and now["played"])
    assert [each.game for each in api.finished_sessions(member.folders)] == [shop.game]


def test_proton_is_set_up_for_a_windows_game_unless_the_player_cancels_that(
    member: Player, shop: ServerWithGames, tmp_path: Path
) -> None:
    umu, record = tmp_path / "programs/umu-run", tmp_path / "record"
    umu.parent.mkdir()
    umu.write_text(f'#!/bin/sh\necho "$$ $GAMEID $STORE" >>{record}\nexec sleep 600\n')
    umu.chmod(0o755)
    member.environment["PATH"] = f"{umu.parent}:{os.environ['PATH']}"
    shop.release("1.0", {"doom.exe": b"MZ"}, platform="Windows", compatId="umu-7")
    with running_app(member, shop.address) as app, app.window() as window:
        window.do("POST", f"games/{shop.game}/install")
        window.wait_for_jobs()
        window.do("POST", f"games/{shop.game}/prepare")
        [running] = window.wait(lambda now: any(each["state"] == "running" for each in now["jobs"]))["jobs"]
        pid, *variables = wait_for_lines(record, 1)[0].split()
        window.do("DELETE", f"jobs/{running['id']}")
        assert (running["kind"], variables) == ("prepare", ["umu-7", "none"])
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
        for status, state in ((1, "failed"), (0, "done")):
            umu.write_text(f"#!/bin/sh\nexit {status}\n")
            window.do("POST", f"games/{shop.game}/prepare")
            assert [each["state"] for each in window.wait_for_jobs()["jobs"]] == [state]


def test_a_player_signs_in_from_the_app(player: Player, shop: ServerWithGames) -> None:
    with running_app(player) as app, app.window() as start:
        assert "Playdock" in start.get("/").text
        assert start.call("GET", "servers").json() == {"known": [], "suggested": []}
        assert start.call("GET", "nearby").json() == []
        assert start.call("POST", "sign-in", {"address": "not a server"}).status_code == 409
        wanted = f"playdock://install/{quote(shop.address, safe='')}/{shop.game}"
        assert player.run("app", "--no-window", "--json", wanted).document["link"].startswith(start.origin)
        begun = start.call("POST", "sign-in", {"address": shop.address}).json()
        assert begun["state"] == "waiting"
        approved = shop.admin.post("/api/v1/user/client/request", {"userCode": begun["code"], "approve": True})
        assert approved.status_code == 204, approved.text
        deadline = time.monotonic() + PATIENCE
        while (signed_in := start.call("GET", "sign-in").json())["state"] == "waiting":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert signed_in["state"] == "done", signed_in
        assert parse_qs(urlsplit(signed_in["link"]).query)["to"] == [f"/games/{shop.game}"]
        opened = start.http.get(signed_in["link"])
        assert opened.status_code == 200
        origin = f"http://{opened.url.netloc.decode()}"
        assert origin != start.origin
        window = Window(start.http, origin)
        assert window.get("/api/v1/user").json()["username"] == "ada"

        shop.release("1.0", {"doom": b"#!/bin/sh\n"}, executable="doom")
        [device] = shop.admin.get("/api/v1/user/client").json()
        queued = shop.admin.post(f"/api/v1/user/client/{device['id']}/queue", {"game": shop.game})
        assert queued.status_code == 204, queued.text
        window.do("POST", "updates")
        window.wait(lambda now: [game["state"] for game in now["games"]] == ["installed"])
        window.do("POST", "updates")
        deadline = time.monotonic() + PATIENCE
        while not (listed := shop.admin.get("/api/v1/user/installations").json()[0])["installations"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert ([game["gameName"] for game in listed["installations"]], listed["queue"]) == (["Doom"], [])

        left = window.call("POST", "sign-out").json()
        assert left["link"].startswith(start.origin)
        assert shop.admin.get("/api/v1/user/client").json() == []
        assert start.call("GET", "servers").json()["known"] == []


def test_a_stored_token_is_not_sent_unencrypted_without_consent(player: Player) -> None:
    player.sign_in("http://games.example.org:3000", "pdc_token")
    with running_app(player) as app, app.window() as start:
        # The first page asks for consent.
        assert "server%3Dhttp" in app.link
        opened = start.call("POST", "open", {"server": "http://games.example.org:3000"})
        assert (opened.status_code, opened.json()["type"]) == (409, "unencrypted-connection")


def test_an_unencrypted_connection_needs_consent(player: Player) -> None:
    with running_app(player) as app, app.window() as start:
        refused = start.call("POST", "sign-in", {"address": "http://games.example.org:3000"})
        assert (refused.status_code, refused.json()["type"]) == (409, "unencrypted")
