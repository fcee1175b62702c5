"""`login`, `logout` and `whoami`."""

import itertools
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopback import Loopback, answer
from playdock_client.commands.signing import has_browser
from playdock_client.connection import Server
from playdock_client.credentials import Credentials
from playdock_client.device_sign_in import wait_for_token
from playdock_client.errors import SignInRefused
from playdock_client.responses import SignIn
from playdock_client.sign_in_page import reachable
from world import Caller

from .conftest import Player, ServerWithGames

PENDING = answer(b'{"error": "authorization_pending"}', status=400)
SLOWER = answer(b'{"error": "slow_down"}', status=400)
BUSY = answer(status=503)
TOKEN = answer(b'{"access_token": "pdc_new", "token_type": "Bearer"}')
BEGUN = SignIn(device_code="d", user_code="WDJB-MJHT", verification_uri="https://a.example/device", expires_in=900)


def event(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def lines(process: subprocess.Popen[str]) -> list[str]:
    """Read what a player is shown before the waiting begins."""
    assert process.stderr
    return list(itertools.takewhile(lambda line: not line.startswith("Waiting"), process.stderr))


def plan_update(person: Caller, code: str, *, approve: bool) -> None:
    decided = person.post("/api/v1/user/client/request", {"userCode": code, "approve": approve})
    assert decided.status_code == 204, decided.text


def sign_in(player: Player, shop: ServerWithGames, person: Caller) -> None:
    """Sign in for real, approved by a person."""
    with player.start("login", shop.address, "--no-browser", "--json") as process:
        plan_update(person, event(process)["code"], approve=True)
        assert event(process)["event"] == "signed-in"
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("named", "address", "page"),
    [
        ("http://localhost:3000/device", "http://nas:3000", "http://nas:3000/device"),
        ("http://127.0.0.1:3000/games/device", "http://nas/games", "http://nas/games/device"),
        ("http://localhost:3000/device", "http://127.0.0.1:3000", "http://localhost:3000/device"),
        ("https://games.example.org/device", "http://nas:3000", "https://games.example.org/device"),
    ],
)
def test_the_page_to_sign_in_is_one_that_this_machine_can_open(named: str, address: str, page: str) -> None:
    sign_in = SignIn("secret", "WDJB-MJHT", named, 900, f"{named}?user_code=WDJB-MJHT")

    shown = reachable(sign_in, address)

    assert (shown.verification_uri, shown.verification_uri_complete) == (page, f"{page}?user_code=WDJB-MJHT")


def test_a_player_can_sign_in_and_out(player: Player, shop: ServerWithGames) -> None:
    bob = shop.world.person("bob")
    sign_in(player, shop, bob)
    token = player.folders.credentials.read_text()

    assert player.run("whoami").out == f"bob at {shop.address}\n"
    assert len(bob.get("/api/v1/user/client").json()) == 1
    assert player.run("login", shop.address).out == f"Signed in to {shop.address} as bob.\n"

    nora = shop.world.admin("nora")
    nora.patch("/api/v1/admin/server", {"name": "The arcade"})
    assert player.run("login", shop.address).out == f"Signed in to The arcade ({shop.address}) as bob.\n"
    nora.patch("/api/v1/admin/server", {"name": ""})

    signed_out = player.run("logout", "--json")

    assert signed_out.document == {"server": shop.address, "signedIn": False}
    assert bob.get("/api/v1/user/client").json() == []
    player.folders.credentials.write_text(token)
    assert player.run("whoami").status == 3


def test_an_unencrypted_connection_must_be_allowed_once(player: Player, shop: ServerWithGames) -> None:
    """A proxy leads to the server under a name that is not this machine's."""
    address, proxy = "http://games.example:3000", {"http_proxy": shop.address}
    for words in (["login", address], ["login", "http://[fd00::5]"], ["search", "doom", "--server", address]):
        refused = player.run(*words, PLAYDOCK_TOKEN="pdc_secret")
        assert refused.status == 1
        assert f"playdock-client login --allow-http {words[-1]}" in refused.err
    player.sign_in(address, shop.program.token)
    assert "--allow-http" in player.run("whoami", **proxy).err

    allowed = player.run("login", "--allow-http", address, **proxy)

    assert allowed.out == f"Signed in to {address} as ada.\n"
    assert player.run("whoami", **proxy).out == f"ada at {address}\n"
    player.sign_in(address, shop.program.token)
    assert player.run("whoami", **proxy).status == 0


def test_an_abandoned_login_does_not_allow_http(player: Player, shop: ServerWithGames) -> None:
    with player.start("login", "--allow-http", "http://games.example:3000", http_proxy=shop.address) as process:
        lines(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)

    assert process.returncode == 130
    assert Credentials(player.folders.credentials).servers() == []


def test_the_environment_can_allow_http(player: Player, shop: ServerWithGames) -> None:
    address, proxy = "http://games.example:3000", {"http_proxy": shop.address}
    words = ["whoami", "--server", address]
    asked = [
        player.run(*words, **proxy, PLAYDOCK_TOKEN=shop.program.token, PLAYDOCK_ALLOW_HTTP=value) for value in "10"
    ]

    assert [each.status for each in asked] == [0, 1]
    assert "PLAYDOCK_ALLOW_HTTP=1" in asked[1].err


def test_the_token_is_kept_if_signing_out_would_send_it_unencrypted(player: Player, shop: ServerWithGames) -> None:
    address, proxy = "http://games.example:3000", {"http_proxy": shop.address}
    bob = shop.world.person("bob")
    sign_in(player, shop, bob)
    token = Credentials(player.folders.credentials).token_for(shop.address)
    assert token
    player.sign_in(address, token)

    words = ["logout", "--server", address]
    refused = player.run(*words, **proxy)

    assert (refused.status, "--allow-http" in refused.err) == (1, True)
    assert player.run(*words, **proxy, PLAYDOCK_ALLOW_HTTP="1").status == 0
    assert bob.get("/api/v1/user/client").json() == []


def test_login_shows_the_address_and_the_code(player: Player, shop: ServerWithGames) -> None:
    with player.start("login", shop.address) as process:
        shown = lines(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)

    assert process.returncode == 130
    assert shown[1] == f"  Open   {shop.address}/device\n"
    assert len(shown[3].removeprefix("  Code ").split()) == len("WDJB-MJHT")


def test_a_denied_sign_in_leaves_no_token(player: Player, shop: ServerWithGames) -> None:
    with player.start("login", shop.address, "--json") as process:
        plan_update(shop.world.person("bob"), event(process)["code"], approve=False)
        assert event(process)["type"] == "sign-in-refused"

    assert process.returncode == 1
    assert player.run("whoami").status == 3


def test_a_browser_is_opened_if_available(player: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    with player.start("login", shop.address, DISPLAY=":0", BROWSER=f"{browser} %s") as process:
        code = lines(process)[3].removeprefix("  Code ")
        plan_update(shop.world.person("bob"), "".join(code.split()), approve=True)
        process.communicate(timeout=120)

    assert process.returncode == 0
    assert opened.read_text().startswith(f"{shop.address}/device?user_code=")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="There every browser has a window.")
def test_no_browser_is_opened_without_a_display() -> None:
    assert not has_browser({"TERM": "xterm"})
    assert has_browser({"WAYLAND_DISPLAY": "wayland-0"})


def test_the_server_sets_the_polling_interval() -> None:
    pauses: list[float] = []
    with Loopback() as server:
        server.on("/oauth/token", PENDING, SLOWER, BUSY, TOKEN)
        token = wait_for_token(Server(server.address), BEGUN, sleep=pauses.append)

    assert token == "pdc_new"
    assert pauses == [5, 5, 10, 20]


def test_a_code_that_is_not_confirmed_expires() -> None:
    pauses: list[float] = []
    with Loopback() as loopback:
        loopback.on("/oauth/token", PENDING)
        server = Server(loopback.address)
        with pytest.raises(SignInRefused, match="expired"):
            wait_for_token(server, BEGUN, sleep=pauses.append)

    assert sum(pauses) == 900


@pytest.mark.parametrize("interval", [0, -1, 10**9])
def test_an_unreasonable_polling_interval_is_limited(interval: int) -> None:
    pauses: list[float] = []
    begun = SignIn(device_code="d", user_code="c", verification_uri="u", expires_in=10**9, interval=interval)
    with Loopback() as server:
        server.on("/oauth/token", PENDING, TOKEN)
        wait_for_token(Server(server.address), begun, sleep=pauses.append)

    assert all(1 <= each <= 60 for each in pauses)


def test_the_error_without_a_sign_in_says_how_to_sign_in(player: Player) -> None:
    asked = player.run("whoami")

    assert asked.status == 3
    assert asked.err == "playdock-client: You are not signed in. Sign in with: playdock-client login SERVER\n"


def test_a_token_from_the_environment_is_preferred_and_never_printed(player: Player, shop: ServerWithGames) -> None:
    player.sign_in(shop.address, "pdc_stale")
    asked = [player.run(*words, PLAYDOCK_TOKEN=shop.program.token) for words in (["whoami"], ["whoami", "--json"])]
    refused = player.run("whoami", PLAYDOCK_TOKEN="pdc_wrong")

    assert [each.status for each in (*asked, refused)] == [0, 0, 3]
    assert not any("pds_" in each.out + each.err or "pdc_" in each.out + each.err for each in (*asked, refused))
    assert not any(shop.program.token in each.out + each.err for each in asked)


def test_signing_out_removes_the_token_even_if_the_server_fails(player: Player) -> None:
    with Loopback() as server:
        player.sign_in(server.address, "pdc_x")
        server.on("/api/v1/user/client", answer(b'{"detail": "Broken."}', status=500))
        signed_out = player.run("logout")

    assert signed_out.status == 1
    assert "Sign the device out on the server" in signed_out.err
    assert player.run("logout").status == 3


def test_an_unwritable_folder_is_reported_before_any_request(player: Player) -> None:
    # Where the settings' folder should be is a file, which not even an administrator can write into.
    (player.home / "file").touch()
    with Loopback() as server:
        refused = player.run("login", server.address, PLAYDOCK_CLIENT_HOME=str(player.home / "file" / "home"))

    assert refused.status == 1
    assert server.requests_received == []


def test_a_rejected_token_is_reported_with_its_origin(player: Player, shop: ServerWithGames) -> None:
    player.sign_in(shop.address, "pdc_stale")
    given = player.run("search", PLAYDOCK_TOKEN="pdc_wrong")
    odd = player.run("search", PLAYDOCK_TOKEN="ö")
    kept = player.run("search")

    assert [each.status for each in (given, odd, kept)] == [3, 3, 3]
    assert ["PLAYDOCK_TOKEN" in each.err for each in (given, odd, kept)] == [True, True, False]
