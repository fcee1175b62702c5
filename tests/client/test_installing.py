"""Installing and updating, from a server that tells the truth."""

import os
import random
from dataclasses import replace

import pytest

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion
from playdock_client.errors import FolderTaken, NotInstalled
from playdock_client.installing import FetchOptions, read_installation, uninstall, verify
from playdock_client.progress import NoProgress, NoticeKind, Phase
from playdock_client.responses import GameInfo


def _bytes(size: int, *, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def _first() -> HostileVersion:
    return HostileVersion(
        "v1",
        {"data/large.pak": _bytes(3_000_000), "data/old.txt": b"old", "empty": b"", "readme": b"read", "run": b"#!1"},
        modes={"run": 0o4755},
        links={"start": "run"},
    )


def _second() -> HostileVersion:
    first = _first()
    pak = first.files["data/large.pak"]
    files = {"data/large.pak": pak[:1_310_720] + _bytes(65536, seed=2) + pak[1_310_720:], "readme": b"read"}
    return HostileVersion(
        "v2", {**files, "new/one": b"one", "run": b"#!2"}, modes={"run": 0o755}, links={"start": "new/one"}
    )


def _reported(version: HostileVersion) -> dict[str, bytes]:
    return {**version.files, **{path: f"-> {target}".encode() for path, target in version.links.items()}}


@pytest.fixture
def both(hostile: HostileServer) -> HostileServer:
    hostile.serve(_first(), _second())
    return hostile


def test_the_installed_files_match_the_server(both: HostileServer, player: Player) -> None:
    outcome = player.install()

    assert player.files() == _reported(_first())
    assert outcome.reused == 0
    assert read_installation(player.folder).version.id == "v1"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no rights to execute")
def test_only_read_write_and_execute_permissions_are_set(both: HostileServer, player: Player) -> None:
    player.install()

    assert (player.folder / "run").stat().st_mode & 0o7700 == 0o700
    assert (player.folder / "readme").stat().st_mode & 0o7700 == 0o600


@pytest.mark.parametrize("options", [FetchOptions(compress=True), FetchOptions(compress=False)])
def test_compressed_and_uncompressed_downloads_install_the_same_files(
    both: HostileServer, player: Player, options: FetchOptions
) -> None:
    player.options = options
    player.install()

    assert player.files() == _reported(_first())
    assert all(("frames=zstd" in each) == options.compress for each in both.fetches())


def test_an_update_fetches_only_new_chunks(both: HostileServer, player: Player) -> None:
    player.install()
    outcome = player.update()

    assert player.files() == _reported(_second())
    assert outcome.fetched < 150_000
    assert outcome.reused > 2_900_000


def test_an_update_can_install_an_older_version(both: HostileServer, player: Player) -> None:
    player.install("v2")
    player.update("v1")

    assert player.files() == _reported(_first())


def test_updating_to_the_installed_version_changes_nothing(both: HostileServer, player: Player) -> None:
    player.install()
    both.requests.clear()
    player.update("v1")

    assert player.files() == _reported(_first())
    assert not both.fetches()


def test_a_reimported_version_is_installed_as_an_update(both: HostileServer, player: Player) -> None:
    player.install()
    both.serve(replace(_second(), id="v1"))
    player.update("v1")

    assert player.files() == _reported(_second())


def test_the_players_own_files_are_kept(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("saves/1.sav")
    player.update()

    assert player.files() == {**_reported(_second()), "saves/1.sav": b"mine"}


def test_a_changed_file_is_set_aside_for_the_new_one(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("run")
    player.put("run.yours", b"older")
    outcome = player.update()

    assert player.files() == {**_reported(_second()), "run.yours": b"older", "run.yours-2": b"mine"}
    assert outcome.aside == (("run", "run.yours-2"),)
    assert [notice.aside for notice in player.abortable.notices] == ["run.yours-2"]


def test_a_changed_file_that_the_new_version_removes_is_set_aside(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("data/old.txt")
    outcome = player.update()

    assert outcome.aside == (("data/old.txt", "data/old.txt.yours"),)
    assert player.files()["data/old.txt.yours"] == b"mine"


def test_a_changed_file_that_the_update_does_not_replace_is_kept(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("readme")
    outcome = player.update()

    assert player.files()["readme"] == b"mine"
    assert outcome.kept == ("readme",)
    assert player.abortable.notices[0].kind is NoticeKind.KEPT


def test_a_players_file_in_the_way_of_a_new_file_is_set_aside(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("new/one")
    outcome = player.update()

    assert outcome.aside == (("new/one", "new/one.yours"),)
    assert player.files()["new/one"] == b"one"


def test_a_players_file_equal_to_the_new_file_is_not_set_aside(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("new/one", b"one")

    assert player.update().aside == ()


def test_a_players_file_in_the_way_of_a_folder_is_set_aside(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("new")
    player.update()

    assert player.files() == {**_reported(_second()), "new.yours": b"mine"}


def test_a_players_folder_in_the_way_of_a_file_is_set_aside(both: HostileServer, player: Player) -> None:
    both.serve(replace(_second(), files={"saves": b"a file"}, links={}))
    player.install()
    player.put("saves/1.sav")
    player.update()

    assert player.files() == {"saves": b"a file", "saves.yours/1.sav": b"mine"}


def test_a_folder_can_become_a_file_in_the_new_version(both: HostileServer, player: Player) -> None:
    both.serve(replace(_second(), files={"data": b"a file"}, links={}))
    player.install()

    assert player.update().aside == ()
    assert player.files() == {"data": b"a file"}


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_nothing_is_written_through_a_players_symlink(both: HostileServer, player: Player) -> None:
    player.install()
    elsewhere = player.folder.parent / "elsewhere"
    elsewhere.mkdir()
    (player.folder / "new").symlink_to(elsewhere)
    player.update()

    assert not list(elsewhere.iterdir())
    assert player.files() == {**_reported(_second()), "new.yours": f"-> {elsewhere}".encode()}


def test_verifying_lists_missing_damaged_and_player_files(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("readme", b"raed")
    (player.folder / "run").unlink()
    player.put("mine.txt")
    found = verify(player.folder, progress=NoProgress())

    assert (found.missing, found.damaged, found.own) == (("run",), ("readme",), ("mine.txt",))


def test_a_deep_verification_does_not_trust_modification_times(both: HostileServer, player: Player) -> None:
    player.install()
    file = player.folder / "readme"
    stamp = file.stat().st_mtime_ns
    file.write_bytes(b"raed")
    os.utime(file, ns=(stamp, stamp))

    assert verify(player.folder, progress=NoProgress(), deep=False).intact
    assert verify(player.folder, progress=NoProgress()).damaged == ("readme",)


def test_a_repair_restores_files_and_fetches_only_damaged_chunks(both: HostileServer, player: Player) -> None:
    player.install()
    with (player.folder / "data/large.pak").open("r+b") as file:
        file.seek(100_000)
        file.write(b"rot")
    outcome = player.repair()

    assert {**player.files(), "data/large.pak.yours": b""} == {**_reported(_first()), "data/large.pak.yours": b""}
    assert outcome.aside == (("data/large.pak", "data/large.pak.yours"),)
    assert outcome.fetched < 100_000


def test_adopting_fetches_only_missing_chunks(both: HostileServer, player: Player) -> None:
    for path, data in _first().files.items():
        player.put(path, data)
    player.put("data/large.pak", _first().files["data/large.pak"][:-1])
    player.put("run", b"#!0")
    player.put("own")
    outcome = player.adopt()

    assert player.files() == {
        **_reported(_first()),
        "own": b"mine",
        "run.yours": b"#!0",
        "data/large.pak.yours": _first().files["data/large.pak"][:-1],
    }
    assert outcome.fetched < 80_000
    assert verify(player.folder, progress=NoProgress()).intact


def test_installing_into_a_folder_with_other_files_is_rejected(both: HostileServer, player: Player) -> None:
    player.put("thesis.txt")

    with pytest.raises(FolderTaken, match="adopt"):
        player.install()


def test_installing_over_another_game_is_rejected(both: HostileServer, player: Player) -> None:
    player.install()
    player.game = GameInfo("game-2", "Another")

    with pytest.raises(FolderTaken, match="The Game"):
        player.install()


def test_uninstalling_keeps_the_players_files(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("readme")
    player.put("data/saves/1.sav")

    assert uninstall(player.folder) == ["data/saves/1.sav", "readme"]
    assert player.files() == {"data/saves/1.sav": b"mine", "readme": b"mine"}
    assert not (player.folder / ".playdock").exists()


def test_uninstalling_removes_the_folder_if_nothing_is_left(both: HostileServer, player: Player) -> None:
    player.install()

    assert uninstall(player.folder) == []
    assert not player.folder.exists()


def test_uninstalling_can_remove_the_players_files_too(both: HostileServer, player: Player) -> None:
    player.install()
    player.put("mine")

    assert uninstall(player.folder, keep_own=False) == []
    assert not player.folder.exists()


def test_a_game_that_is_not_installed_cannot_be_updated(player: Player) -> None:
    with pytest.raises(NotInstalled, match="Install the game again"):
        player.update()


def test_identical_chunks_are_fetched_once(hostile: HostileServer, player: Player) -> None:
    same = _bytes(1_000_000)
    hostile.serve(HostileVersion("v1", {f"copy-{number}": same for number in range(5)}))
    outcome = player.install()

    assert outcome.fetched < 1_100_000
    assert len(player.files()) == 5


def test_many_small_files_are_fetched_in_one_request(hostile: HostileServer, player: Player) -> None:
    hostile.serve(
        HostileVersion("v1", {f"d{number % 10}/{number}": _bytes(100, seed=number) for number in range(2000)})
    )
    player.install()

    assert len(hostile.fetches()) == 1
    assert len(player.files()) == 2000


def test_progress_reports_the_bytes_of_a_phase(both: HostileServer, player: Player) -> None:
    player.install()
    total = sum(map(len, _first().files.values()))

    assert (Phase.FETCH, total) in player.abortable.phases
    assert player.abortable.done == total
