"""Process trees and play sessions: games that are really started, ended and killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from playdock_client import api
from playdock_client.errors import GameRunning, NotRunning
from playdock_client.playing.process_tree import pids_in

from .conftest import COVERAGE, Player
from .test_launching import install

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="The programs of these tests are Linux's.")

# They end when the file `end` appears, and write their process ids to `pids` first.
_WAITS = 'sh -c "echo \\$\\$ >> pids; while [ ! -e end ]; do sleep 0.05; done"'
TREES = {
    "one process": f"#!/bin/sh\nexec {_WAITS}\n",
    "an early loader": f"#!/bin/sh\n{_WAITS} &\nexit 0\n",
    "a double fork": f"#!/bin/sh\n(({_WAITS} &) &)\n",
    "a session of its own": f"#!/bin/sh\nsetsid sh -c '({_WAITS} &)' &\n",
    "a crash of the loader": f"#!/bin/sh\n{_WAITS} &\nkill -SEGV $$\n",
}
STUBBORN = "#!/bin/sh\ntrap '' TERM\necho $$ >> pids\nwhile [ ! -e end ]; do sleep 0.05; done\n"


def eventually(found: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _pids(folder: Path) -> list[int]:
    file = folder / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def _exists(pid: int) -> bool:
    """Return whether a process runs; one that has ended may wait for its parent to notice."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def patched_launcher(player: Player, folder: Path, assignment: str) -> subprocess.Popen[bytes]:
    """Launch a game with another constant, so that a test does not take as long as a player waits."""
    code = (
        f"import os, sys; from playdock_client.playing import play; play.{assignment}; "
        "from playdock_client.main import main; sys.exit(main(sys.argv[1:], os.environ))"
    )
    environment = {**COVERAGE, "PATH": os.environ["PATH"], "PLAYDOCK_CLIENT_HOME": str(player.home)}
    return subprocess.Popen([sys.executable, "-c", code, "launch", str(folder)], env=environment)


@pytest.mark.parametrize("tree", TREES)
def test_a_game_runs_until_its_last_process_has_ended(player: Player, tree: str) -> None:
    folder = install(player, {"doom": TREES[tree]})

    with player.start("launch", folder) as launcher:
        eventually(lambda: bool(_pids(folder)))
        running = api.running_games(player.folders)
        (folder / "end").touch()
        launcher.communicate(timeout=60)

    assert [(each.folder, each.pid) for each in running] == [(folder, launcher.pid)]
    assert launcher.returncode == (128 + signal.SIGSEGV if tree == "a crash of the loader" else 0)
    assert api.running_games(player.folders) == []
    (session,) = api.finished_sessions(player.folders)
    assert (session.game, session.version_name, session.status) == ("g1", "1.0", launcher.returncode)
    assert not _exists(_pids(folder)[0])


@pytest.mark.parametrize("tree", ["an early loader", "a session of its own"])
def test_stopping_ends_all_processes(player: Player, tree: str) -> None:
    folder = install(player, {"doom": TREES[tree]})

    with player.start("launch", folder) as launcher:
        eventually(lambda: bool(_pids(folder)))
        stopped = player.run("stop", folder, "--json")
        launcher.communicate(timeout=60)

    assert stopped.status == 0, stopped.err
    assert stopped.document["event"] == "stopped"
    assert not _exists(_pids(folder)[0])
    assert len(api.finished_sessions(player.folders)) == 1
    assert list(player.folders.sessions.glob("*.stop")) + list(player.folders.sessions.glob("*.lock")) == []


def test_a_terminated_launcher_kills_a_game_that_does_not_end(player: Player) -> None:
    folder = install(player, {"doom": STUBBORN})

    with patched_launcher(player, folder, "_STOP_SECONDS = 0.1") as launcher:
        eventually(lambda: bool(_pids(folder)))
        launcher.terminate()
        launcher.wait(timeout=120)

    assert launcher.returncode == 128 + signal.SIGKILL
    assert not _exists(_pids(folder)[0])


def test_the_game_of_a_killed_launcher_still_runs_and_can_be_stopped(player: Player) -> None:
    folder = install(player, {"doom": TREES["a session of its own"]})

    with player.start("launch", folder) as launcher:
        eventually(lambda: bool(_pids(folder)))
        launcher.kill()
        launcher.communicate(timeout=60)
        running = api.running_games(player.folders)
        with pytest.raises(GameRunning):
            api.uninstall(folder)
        api.stop_game(player.folders, folder)

    assert [each.folder for each in running] == [folder]
    assert not _exists(_pids(folder)[0])
    (session,) = api.finished_sessions(player.folders)
    assert session.status is None
    with pytest.raises(NotRunning):
        api.stop_game(player.folders, folder)


def test_the_session_of_a_game_killed_with_its_launcher_is_neither_lost_nor_repeated(player: Player) -> None:
    folder = install(player, {"doom": TREES["one process"]})
    with player.start("launch", folder) as launcher:
        eventually(lambda: bool(_pids(folder)))
        launcher.kill()
        os.kill(_pids(folder)[0], signal.SIGKILL)
        launcher.communicate(timeout=60)
    (folder / "end").touch()

    eventually(lambda: not api.running_games(player.folders))
    assert player.run("launch", folder).status == 0

    sessions = api.finished_sessions(player.folders)
    assert [each.status for each in sessions] == [None, 0]
    assert len({each.id for each in sessions}) == 2
    (total,) = api.play_times(player.folders).values()
    assert total.last_played == sessions[1].started
    assert total.seconds == sum(each.seconds for each in sessions)


def test_a_killed_launcher_has_recorded_the_session_up_to_its_last_heartbeat(player: Player) -> None:
    folder = install(player, {"doom": TREES["one process"]})
    with patched_launcher(player, folder, "_HEARTBEAT_SECONDS = 0.1") as launcher:
        eventually(lambda: any(each.seconds for each in api.play_times(player.folders).values()))
        launcher.kill()
    (folder / "end").touch()

    eventually(lambda: len(api.finished_sessions(player.folders)) == 1)
    assert api.finished_sessions(player.folders)[0].seconds > 0


def test_a_running_game_is_neither_launched_again_nor_changed(player: Player) -> None:
    folder = install(player, {"doom": TREES["one process"]})
    other = install(player, {"doom": "#!/bin/sh\n"}, name="Quake")

    with player.start("launch", folder) as launcher:
        eventually(lambda: bool(_pids(folder)))
        again = player.run("launch", folder)
        refused = [player.run(command, folder) for command in ("uninstall", "verify")]
        free = player.run("launch", other)
        (folder / "end").touch()
        launcher.communicate(timeout=60)

    assert (again.status, again.err) == (1, "playdock-client: Doom is already running.\n")
    assert {each.err for each in refused} == {
        f"playdock-client: The game in {folder} is running. Stop it, then try again.\n"
    }
    assert free.status == 0
    assert player.run("uninstall", folder).status == 0


def test_the_output_of_a_game_that_fails_at_once_is_recorded(player: Player) -> None:
    script = "#!/bin/sh\nfor n in $(seq 100); do echo line $n; done\necho no display >&2\nexit 3\n"
    folder = install(player, {"doom": script})

    launched = player.run("launch", folder)

    (session,) = api.finished_sessions(player.folders)
    assert launched.status == session.status == 3
    assert launched.out.splitlines()[-1] == "line 100"
    assert launched.err.startswith("no display\nDoom ended after ")
    assert launched.err.endswith(" seconds with status 3.\n")
    assert len(session.output) == 30
    assert "line 99" in session.output


def test_an_installer_is_no_play_session(player: Player) -> None:
    folder = install(player, {"setup": "#!/bin/sh\n"}, setup="setup", launch="", only_setup=True)

    assert player.run("launch", folder).status == 0
    assert api.finished_sessions(player.folders) == []
    assert api.play_times(player.folders) == {}


def test_a_game_that_is_not_running_cannot_be_stopped(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\n"})

    assert player.run("stop", folder).err == f"playdock-client: The game in {folder} is not running.\n"


def test_the_processes_of_a_mac_game_are_those_whose_programs_are_in_its_folder() -> None:
    listing = "  12 /Games/Doom/Doom.app/Contents/MacOS/doom\n  13 /Games/Doom 2/doom\n 14 /bin/zsh\n\n"

    assert pids_in(listing, Path("/Games/Doom")) == [12]
