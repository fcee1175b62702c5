"""The command line itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from loopback import Loopback, answer
from playdock_client.main import main

from .conftest import Player

COMMANDS = """
login logout whoami list search info install update adopt verify repair launch uninstall
""".split()  # noqa: SIM905 - names read better in a line
Captured = pytest.CaptureFixture[str]


def status_of(*words: str) -> object:
    """Read a command line that ends before anything is carried out."""
    with pytest.raises(SystemExit) as ended:
        main(words, {})
    return ended.value.code


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capfd: Captured) -> None:
    assert status_of(command, "--help") == 0
    assert "--json" in capfd.readouterr().out


def test_the_help_names_every_command_and_status(capfd: Captured) -> None:
    assert status_of("--help") == 0

    told = capfd.readouterr().out
    assert [command for command in COMMANDS if f"\n    {command} " not in told] == []
    assert "130  stopped by Ctrl-C" in told


def test_the_module_can_be_run_as_the_command() -> None:
    ended = subprocess.run([sys.executable, "-m", "playdock_client", "--version"], capture_output=True, check=True)

    assert ended.stdout == b"0.1.0\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["dance"],
        ["install"],
        ["install", "doom", "--connections", "0"],
        ["install", "doom", "--connections", "²"],
        ["install", "doom", "--connections", "17"],
        ["install", "doom", "--limit-rate", "0"],
        ["install", "doom", "--limit-rate", "fast"],
        ["install", "doom", "--limit-rate", "-1"],
        ["install", "doom", "--platform", "Amiga"],
        ["install", "doom", "--vers", "1"],
        ["adopt", "doom"],
        ["launch", "doom", "-skill", "4"],
        ["login"],
    ],
)
def test_invalid_arguments_print_the_usage(words: list[str], capfd: Captured) -> None:
    assert status_of(*words) == 2

    out, err = capfd.readouterr()
    assert err.startswith("usage: playdock-client")
    assert out == ""


@pytest.mark.parametrize("before", [True, False])
def test_common_options_are_accepted_before_and_after_the_command(player: Player, before: bool) -> None:  # noqa: FBT001
    with Loopback() as server:
        player.sign_in(server.address, "pdc_x")
        player.sign_in("http://127.0.0.1:1", "pdc_y")
        server.on("/api/v1/user", answer(b'{"id": "1", "username": "bob"}'))
        common = ["--json", "--server", server.address]
        told = player.run(*common, "whoami") if before else player.run("whoami", *common)

    assert told.document["user"]["username"] == "bob"


def test_a_game_can_have_the_name_of_a_command(player: Player) -> None:
    assert player.run("verify", "launch").err == "playdock-client: “launch” is not installed.\n"


def test_an_invalid_response_is_reported(player: Player) -> None:
    with Loopback() as server:
        player.sign_in(server.address, "pdc_secret")
        server.on("/api/v1/store", answer(b"<html>"))
        told = player.run("search", "doom", "--json")

    assert told.status == 1
    assert told.document["type"] == "bad-response"
    assert "pdc_secret" not in told.out + told.err


def test_an_unreadable_credentials_file_is_reported(player: Player, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    told = player.run("logout", PLAYDOCK_CLIENT_HOME=str(tmp_path / "file"))

    assert (told.status, told.err) == (1, f"playdock-client: {tmp_path}/file/credentials.json: Not a directory.\n")


@pytest.mark.parametrize("form", ["--json", "--quiet"])
def test_a_closed_output_pipe_is_not_reported(player: Player, form: str) -> None:
    with Loopback() as server:
        player.sign_in(server.address, "pdc_x")
        server.on("/api/v1/store", answer(b'{"games": [{"id": "1", "name": "Doom"}], "total": 1, "next": null}'))
        with player.start("search", form) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.close()
            told = process.stderr.read()

    assert told == ""
