"""What comes out, and where."""

import json
import os
import subprocess
import sys

import pytest

from playdock_client.progress import Phase
from playdock_client.screen import JsonScreen, Listing, TerminalScreen

from .conftest import COVERAGE, PROGRAM, Player, ServerWithGames

Captured = pytest.CaptureFixture[str]


@pytest.mark.skipif(sys.platform == "win32", reason="There are no such terminals.")
def test_progress_is_shown_as_a_bar_on_a_terminal(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"x", "data.pak": os.urandom(3_000_000)})

    shown = on_terminal(member, "install", "doom", "--limit-rate", "3M")

    assert "Downloading" in shown
    assert "MB of 3.0 MB, " in shown
    assert "MB/s, 0:0" in shown
    assert "Doom 1.0 is installed in " in shown.splitlines()[-1]


def on_terminal(player: Player, *words: str) -> str:
    """Run a command as on a terminal and return what was written to it."""
    terminal, end = os.openpty()
    own = {"PLAYDOCK_CLIENT_HOME": str(player.home), "TERM": "xterm", "COLUMNS": "200", "LANG": "C.UTF-8"}
    with subprocess.Popen([PROGRAM, *words], env=COVERAGE | own, stdin=end, stdout=end, stderr=end):
        os.close(end)
        written = b"".join(iter(lambda: _read(terminal), b""))
    os.close(terminal)
    return written.decode()


def _read(terminal: int) -> bytes:
    """Read some of what was written; a terminal whose other end was closed fails instead of ending."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_results_go_to_stdout_and_messages_to_stderr(capfd: Captured) -> None:
    screen = TerminalScreen(quiet=False)
    screen.info("A remark.")
    screen.show_result({}, ["An answer."])
    screen.fail("kind", "A failure.")

    assert capfd.readouterr() == ("An answer.\n", "A remark.\nplaydock-client: A failure.\n")


def test_quiet_output_contains_only_results_and_errors(capfd: Captured) -> None:
    screen = TerminalScreen(quiet=True)
    screen.info("A remark.")
    with screen.progress() as progress:
        progress.begin(Phase.FETCH, total=10)
    screen.show_result({}, ["An answer."])
    screen.fail("kind", "A failure.")

    assert capfd.readouterr() == ("An answer.\n", "playdock-client: A failure.\n")


def test_markup_and_control_sequences_are_not_interpreted(capfd: Captured) -> None:
    evil = "[bold]\x1b[2J:smile:\n"
    screen = TerminalScreen(quiet=False)
    screen.info(evil)
    screen.emit("event", {}, [evil])
    screen.show_result({}, [evil])
    screen.show_result({}, Listing(("Name",), [(evil,)], empty=evil))
    screen.fail("kind", evil)

    out, err = capfd.readouterr()
    assert "\x1b" not in out + err
    assert (out + err).count("[bold]�[2J:smile:�") == 5


def test_long_lines_are_not_wrapped_without_a_terminal(capfd: Captured) -> None:
    screen = TerminalScreen(quiet=False)
    screen.show_result({}, ["word " * 200])
    screen.show_result({}, Listing(("Name",), [("x" * 300,)], empty=""))

    out, _ = capfd.readouterr()
    assert out.splitlines()[0] == "word " * 200
    assert "x" * 300 in out


def test_each_line_of_json_output_is_a_document(capfd: Captured) -> None:
    screen = JsonScreen(quiet=True)
    screen.emit("event", {"name": "Ō\x9b\n"}, ["For people."])
    screen.fail("kind", "A failure.")

    out, err = capfd.readouterr()
    assert [json.loads(line) for line in out.splitlines()] == [
        {"event": "event", "name": "Ō\x9b\n"},
        {"event": "failed", "type": "kind", "detail": "A failure."},
    ]
    assert err == "playdock-client: A failure.\n"
