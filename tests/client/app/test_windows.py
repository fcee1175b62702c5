"""Windows of the app: one that comes to the front, which kind it is, and the private way of its link."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest

from client.app.window import PATIENCE, install_browser, wait_for_lines
from client.commands.conftest import COVERAGE, PROGRAM, Player, ServerWithGames
from playdock_client.app.peers import is_of_another_user, user_of
from playdock_client.machine import Machine
from playdock_client.shortcuts.link_scheme import register_scheme
from world import NO_TLS


def test_a_second_start_brings_the_window_to_the_front(member: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    programs = install_browser(tmp_path / "programs")
    member.environment["PATH"] = str(programs)
    record = programs / "record"
    # The page that leads to the link is private, and the link is not in the list of processes.
    expected = ["opened 200 600 False", "shown"]
    with member.start("app") as app:
        assert wait_for_lines(record, 2) == expected
        again = member.run("app")
        assert (again.status, again.out) == (0, "")
        game = member.run("open-url", f"playdock://install/{quote(shop.address, safe='')}/{shop.game}")
        assert (game.status, game.out) == (0, "")
        # The browser reads its commands and those of the page in two threads.
        assert sorted(wait_for_lines(record, 5)) == sorted([*expected, "front", "front", f"open /games/{shop.game}"])
        app.terminate()
        app.communicate(timeout=PATIENCE)


@pytest.mark.skipif(shutil.which("xdg-open") is None, reason="Debian's xdg-utils are missing.")
def test_a_link_that_the_desktop_opens_starts_the_app_once(
    member: Player, shop: ServerWithGames, tmp_path: Path
) -> None:
    programs = install_browser(tmp_path / "programs")
    own = {"HOME": str(member.home), "PLAYDOCK_CLIENT_HOME": str(member.home), "PLAYDOCK_CLIENT_PROGRAM": str(PROGRAM)}
    environment = {**COVERAGE, **own, "PATH": f"{programs}:/usr/bin:/bin", "DISPLAY": ":none"}
    register_scheme(Machine("Linux"), environment)
    command = ["xdg-open", f"playdock://install/{quote(shop.address, safe='')}/{shop.game}"]
    agent = member.folders.config / "agent.json"
    with subprocess.Popen(command, env=environment):
        try:
            wait_for_lines(programs / "record", 2)
            subprocess.run(command, env=environment, check=True, timeout=PATIENCE)
            shown = wait_for_lines(programs / "record", 4)
        finally:
            if agent.exists():
                os.kill(json.loads(agent.read_bytes())["pid"], signal.SIGTERM)
    assert sorted(shown[2:]) == ["front", f"open /games/{shop.game}"]


def test_the_app_ends_with_its_last_window(player: Player, tmp_path: Path) -> None:
    ended = player.run("app", PATH=str(install_browser(tmp_path / "programs", stays=False)))
    assert (ended.status, ended.out) == (0, "")


def test_a_window_that_cannot_be_opened_is_replaced_by_the_default_browser(player: Player, tmp_path: Path) -> None:
    for name, command in {"chromium": "exit 1", "default": f'echo "$1" >>{tmp_path}/link'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{command}\n")
        (tmp_path / name).chmod(0o755)
    with player.start("app", PATH=str(tmp_path), BROWSER=f"{tmp_path}/default") as app:
        [link] = wait_for_lines(tmp_path / "link", 1)
        with httpx2.Client(verify=NO_TLS, trust_env=False, timeout=PATIENCE) as browser:
            assert browser.get(link).status_code == 200
        app.terminate()
        app.communicate(timeout=PATIENCE)


def test_links_are_for_processes_of_the_same_user() -> None:
    line = "   4: 0100007F:{:04X} 0100007F:{:04X} 01 00000000:00000000 00:00000000 00000000 {:>5}        0 12 1 0"
    lines = [line.format(4000, 5000, 1001), line.format(5000, 4000, 1000)]
    assert [user_of(lines, *ports) for ports in ((5000, 4000), (4000, 5000), (1, 4000))] == [1000, 1001, None]


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux tells whose connection it is.")
def test_a_connection_of_nobody_is_of_another_user() -> None:
    assert is_of_another_user(1, 2)
