"""Which of the programs that an installer has installed is the game."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from playdock_client.installed_program import InstalledProgram, find_program


def _installed(folder: Path, names: Iterable[str]) -> Path:
    for name in names:
        file = folder / "Installed" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"MZ" + bytes(len(name)))
        file.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("names", "program"),
    [
        (["unins000.exe", "bin/HollowKnight.exe", "launcher.exe"], "bin/HollowKnight.exe"),
        (["unins000.exe", "Redist/vcredist_x64.exe", "hollow_knight.exe"], "hollow_knight.exe"),
        (["UnityCrashHandler64.exe", "game.exe"], "game.exe"),
        (["readme.txt", "a.dll"], None),
        (["unins000.exe", "Redist/vcredist_x64.exe"], None),
        ([], None),
    ],
)
def test_the_program_with_the_name_of_the_game_is_found(tmp_path: Path, names: list[str], program: str | None) -> None:
    found = find_program(_installed(tmp_path, names), name="Hollow Knight", platform="Windows")
    assert (found.command if found else None) == (f"Installed/{program}" if program else None)


def test_the_start_script_of_gogs_installers_for_linux_is_found(tmp_path: Path) -> None:
    folder = _installed(tmp_path, ["start.sh", "game/braid.x86_64", "support/postinst.sh"])
    (folder / "Installed" / "game" / "data").write_bytes(bytes(100))
    assert find_program(folder, name="Braid", platform="Linux") == InstalledProgram("Installed/start.sh")


def test_what_gog_has_recorded_is_taken(tmp_path: Path) -> None:
    folder = _installed(tmp_path, ["DOSBOX/dosbox.exe", "game.exe"])
    tasks = [
        {"path": "game.exe", "isPrimary": False},
        {"path": r"dosbox\DOSBox.exe", "workingDir": "DosBox", "arguments": '-conf "..\\a.conf"', "isPrimary": True},
    ]
    info = folder / "Installed" / "goggame-1207658930.info"
    info.write_text(json.dumps({"gameId": "1207658930", "rootGameId": "1207658930", "playTasks": tasks}), "utf-8-sig")
    (folder / "Installed" / "goggame-2.info").write_text("nonsense")

    found = find_program(folder, name="Game", platform="Windows")

    assert found == InstalledProgram("Installed/DOSBOX/dosbox.exe", '-conf "..\\a.conf"', "Installed/DOSBOX")
    info.write_text(json.dumps({"gameId": "1", "playTasks": [{"path": "../../x.exe", "isPrimary": True}]}))
    assert find_program(folder, name="Game", platform="Windows") == InstalledProgram("Installed/game.exe")


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = _installed(tmp_path / "outside", ["game.exe"])
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "Installed").symlink_to(outside / "Installed")
    assert find_program(folder, name="Game", platform="Windows") is None
