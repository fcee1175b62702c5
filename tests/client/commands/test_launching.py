"""`launch`: programs that are really started."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from playdock_client.installation import Installation
from playdock_client.responses import GameInfo, VersionInfo

from .conftest import Player

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="The programs of these tests are Linux's.")

TELLS = """#!/bin/sh
echo "$0|$PWD|$*|$GAMEID|$WINEPREFIX|$PROTONPATH|$PLAYDOCK_TOKEN"
exit 7
"""


def install(player: Player, files: dict[str, str], *, name: str = "Doom", **version: Any) -> Path:
    """Lay out an installation as it is after an install."""
    folder = player.folders.game(name)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    (folder / ".playdock").mkdir()
    release = VersionInfo(id="v1", name="1.0", **{"platform": "Linux", "launch": next(iter(files)), **version})
    installation = Installation("https://a.example", GameInfo("g1", name), release, etag="e")
    (folder / ".playdock" / "installation.json").write_bytes(msgspec.json.encode(installation))
    return folder


def umu(player: Player) -> str:
    """Put a program of umu's name on a PATH, and give that."""
    program = player.home / "bin" / "umu-run"
    program.parent.mkdir()
    program.write_text(TELLS)
    program.chmod(0o755)
    return f"{program.parent}:/usr/bin:/bin"


def test_a_game_runs_in_its_folder_with_its_own_and_the_players_arguments(player: Player) -> None:
    folder = install(player, {"bin/doom": TELLS, "data/wad": ""}, launch_args="-iwad 'doom 2.wad'")

    launched = player.run("launch", folder, "--", "-skill", "4", PLAYDOCK_TOKEN="pdc_secret")

    assert launched.status == 7
    assert launched.out == f"{folder}/bin/doom|{folder}|-iwad doom 2.wad -skill 4||||\n"


def test_only_the_program_itself_is_made_executable(player: Player) -> None:
    folder = install(player, {"doom": TELLS, "tool": TELLS})

    player.run("launch", folder)

    assert (folder / "doom").stat().st_mode & 0o777 == 0o755
    assert (folder / "tool").stat().st_mode & 0o111 == 0


def test_a_setup_program_runs_once_before_the_first_launch(player: Player) -> None:
    folder = install(
        player,
        {"doom": "#!/bin/sh\necho game\n", "setup": '#!/bin/sh\necho "setup $*"\n'},
        setup="setup",
        setup_args="-q",
    )

    first, second = player.run("launch", folder), player.run("launch", folder)

    assert (first.out, second.out) == ("setup -q\ngame\n", "game\n")
    assert first.err == "Running the installer of Doom before the first launch.\n"


def test_a_game_does_not_start_until_its_setup_program_succeeds(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\necho game\n", "setup": "#!/bin/sh\n[ -e ready ]\n"}, setup="setup")

    failed = player.run("launch", folder)
    (folder / "ready").touch()
    succeeded = player.run("launch", folder)

    assert (failed.status, failed.out) == (1, "")
    assert "failed with status 1, so the game was not launched" in failed.err
    assert (succeeded.status, succeeded.out) == (0, "game\n")


def test_a_setup_program_runs_again_for_another_version(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\n", "setup": "#!/bin/sh\necho setup\n"}, setup="setup")
    player.run("launch", folder)
    document = json.loads((folder / ".playdock" / "installation.json").read_text())
    document["version"]["id"] = "v2"
    (folder / ".playdock" / "installation.json").write_text(json.dumps(document))

    assert player.run("launch", folder).out == "setup\n"


def test_what_an_installer_has_installed_is_launched_and_is_not_installed_again(player: Player) -> None:
    game = "#!/bin/sh\necho game $PWD $*\n"
    installer = f"""#!/bin/sh
echo setup
mkdir -p Installed/bin
for name in unins000 bin/doom bin/editor; do printf '{game}' > Installed/$name; chmod 755 Installed/$name; done
"""
    folder = install(player, {"setup": installer}, setup="setup", launch="", only_setup=True)

    launched = [player.run("launch", folder, "--", "-x").out for _ in range(2)]

    assert launched == [f"setup\ngame {folder}/Installed -x\n", f"game {folder}/Installed -x\n"]


def test_an_installer_without_a_known_program_runs_until_the_player_names_one(player: Player) -> None:
    folder = install(player, {"setup": "#!/bin/sh\necho setup\n"}, setup="setup", launch="", only_setup=True)
    elsewhere = player.home / "Games" / "doom"
    elsewhere.parent.mkdir()
    elsewhere.write_text("#!/bin/sh\necho game $PWD\n")
    elsewhere.chmod(0o755)

    launched = [player.run("launch", folder) for _ in range(2)]

    assert [(each.status, each.out) for each in launched] == [(0, "setup\n")] * 2
    assert "configure GAME --program FILE" in launched[0].err
    player.run("configure", folder, "--program", elsewhere)
    assert player.run("launch", folder).out == f"game {elsewhere.parent}\n"
    elsewhere.unlink()
    assert "Choose another program" in player.run("launch", folder).err


def test_an_installer_that_fails_is_run_again(player: Player) -> None:
    folder = install(player, {"setup": "#!/bin/sh\nexit 3\n"}, setup="setup", launch="", only_setup=True)

    launched = [player.run("launch", folder) for _ in range(2)]

    assert [each.status for each in launched] == [1, 1]
    assert "The installer of Doom failed with status 3" in launched[1].err


def test_a_windows_game_runs_with_umu(player: Player) -> None:
    folder = install(player, {"doom.exe": "MZ"}, platform="Windows", launch_args=r"-dir C:\doom", compat_id="umu-7")
    path = umu(player)

    launched = player.run("launch", folder, "--", "-x", PATH=path, PROTONPATH="GE-Proton")

    prefix = player.folders.prefix("g1")
    assert launched.status == 7
    assert launched.out.split("|")[1:] == [
        str(folder),
        rf"{folder}/doom.exe -dir C:\doom -x",
        "umu-7",
        str(prefix),
        "GE-Proton",
        "\n",
    ]
    assert not (folder / "doom.exe").stat().st_mode & 0o111


def test_a_windows_game_without_an_id_uses_the_default_of_umu(player: Player) -> None:
    folder = install(player, {"doom.exe": "MZ"}, platform="Windows")

    assert "|umu-default|" in player.run("launch", folder, PATH=umu(player)).out


def test_a_missing_umu_launcher_is_reported(player: Player) -> None:
    folder = install(player, {"doom.exe": "MZ"}, platform="Windows")

    launched = player.run("launch", folder, PATH="/usr/bin:/bin")

    assert launched.status == 1
    assert "install umu-launcher, so that umu-run is on the PATH" in launched.err


def test_a_game_is_launched_with_the_properties_of_the_player(player: Player) -> None:
    folder = install(player, {"doom.exe": "MZ"}, platform="Windows", compat_id="umu-7")
    path = umu(player)

    changed = player.run(
        "configure", folder, "--arguments", "-w '2 x'", "--env", "PROTONPATH=GE-Proton10-4", "--compat-id", "umu-8"
    )
    launched = player.run("launch", folder, "--", "-x", PATH=path).out.split("|")
    reset = player.run("configure", folder, "--reset", "--json").document["properties"]

    assert changed.status == 0, changed.err
    assert "  arguments: -w '2 x'" in changed.out
    assert launched[2:4] == [f"{folder}/doom.exe -w '2 x' -x", "umu-8"]
    assert launched[5] == "GE-Proton10-4"
    assert reset == {"program": "", "arguments": "", "environment": {}, "proton": "", "compatId": "", "store": ""}
    assert "not the name of an environment variable" in player.run("configure", folder, "--env", "a b=c").err


def test_umu_is_prepared_before_the_first_launch(player: Player) -> None:
    folder = install(player, {"doom.exe": "MZ"}, platform="Windows")
    path = umu(player)

    prepared = player.run("prepare", folder, PATH=path)

    assert prepared.status == 1
    assert prepared.out == f"{player.home}/bin/umu-run|{player.home}||umu-default|{player.folders.prefix('g1')}||\n"
    assert "umu-run could not be set up: it ended with status 7" in prepared.err
    assert "install umu-launcher" in player.run("prepare", PATH="/usr/bin:/bin").err


def test_a_game_for_an_unsupported_platform_is_not_launched(player: Player) -> None:
    folder = install(player, {"Doom.app/Contents/MacOS/doom": TELLS}, platform="macOS")

    assert "is for macOS and cannot run on Linux" in player.run("launch", folder).err


@pytest.mark.parametrize("command", ["/bin/sh", "../../../bin/sh", ".playdock/installation.json", "sh"])
def test_a_hostile_command_is_not_run(player: Player, command: str) -> None:
    folder = install(player, {"doom": TELLS}, launch=command)
    (folder / "sh").symlink_to("/bin/sh")

    launched = player.run("launch", folder, "--", "-c", "echo pwned")

    assert (launched.status, launched.out) == (1, "")
    assert "so it was not started" in launched.err


def test_a_bare_word_is_not_treated_as_a_folder(player: Player) -> None:
    folder = install(player, {"doom": TELLS})
    folder.rename(player.home / "Doom")

    assert player.run("launch", "Doom").err == "playdock-client: “Doom” is not installed.\n"
    assert player.run("launch", "./Doom").status == 7


def test_arguments_with_null_characters_are_rejected(player: Player) -> None:
    folder = install(player, {"doom": TELLS}, launch_args="a\0b")

    launched = player.run("launch", folder)

    assert (launched.status, launched.out) == (1, "")
    assert "arguments from the server are invalid" in launched.err


def test_a_relative_search_path_is_not_resolved_in_the_games_folder(player: Player) -> None:
    umu(player)
    folder = install(player, {"doom.exe": "MZ", "bin/umu-run": "#!/bin/sh\necho pwned\n"}, platform="Windows")
    (folder / "bin" / "umu-run").chmod(0o755)

    assert player.run("launch", folder, PATH="bin:/usr/bin:/bin").out.startswith(f"{player.home}/bin/umu-run|")


def test_a_program_that_cannot_be_started_is_reported(player: Player) -> None:
    folder = install(player, {"doom": "#!/no/such/interpreter\n"})

    launched = player.run("launch", folder)

    assert (launched.status, launched.err) == (
        1,
        "playdock-client: doom cannot be started: No such file or directory.\n",
    )


def test_a_version_without_a_launch_command_is_reported(player: Player) -> None:
    folder = install(player, {"doom": TELLS}, launch="")

    assert "No launch command is set for Doom 1.0" in player.run("launch", folder).err


def test_a_game_killed_by_a_signal_has_the_exit_status_of_a_shell(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\nkill -9 $$\n"})

    assert player.run("launch", folder).status == 128 + signal.SIGKILL


def test_ctrl_c_is_left_to_the_game(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\ntrap 'exit 5' TERM\necho ready\nwhile :; do sleep 0.05; done\n"})
    with player.start("launch", folder) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        game = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        os.kill(game, signal.SIGTERM)
        process.communicate(timeout=120)

    assert process.returncode == 5


def test_json_output_is_separate_from_the_output_of_the_game(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\necho hello\nexit 3\n"})

    launched = player.run("launch", folder, "--json")

    assert launched.events == [{"event": "ended", "folder": str(folder), "status": 3}]
    assert launched.err == "hello\n"
