"""Large versions: installed in sections, with the result of an installation at once."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion, LinedVersion
from playdock_client import manifest_file, section_installing
from playdock_client.building import Builder
from playdock_client.connection import Server
from playdock_client.errors import BadManifest, ClientError, FolderTaken
from playdock_client.installing import uninstall, verify
from playdock_client.progress import NoProgress, Phase

FILES = {
    "0": b"",
    "a-b/c": Random(1).randbytes(200_000),
    "a/b": b"hello",
    "a/c": b"other",
    "b": Random(2).randbytes(70_000),
    "c/d/e": Random(3).randbytes(1_100_000),
    "d": b"end",
}


@pytest.fixture(autouse=True)
def short_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_file, "_MAX_SECTION_FILES", 2)


def test_a_large_version_is_installed_like_any_other(hostile: HostileServer, player: Player) -> None:
    hostile.serve(LinedVersion("v1", FILES, modes={"b": 0o755}, links={"a/l": "../b"}))

    outcome = player.install()

    assert player.files() == {**FILES, "a/l": b"-> ../b"}
    assert (player.folder / "b").stat().st_mode & 0o100
    assert verify(player.folder, progress=NoProgress(), deep=False).checked == 0
    assert player.abortable.phases == [(Phase.PREPARE, 0), (Phase.FETCH, 1_370_013), (Phase.SWITCH, 0)]
    assert (player.abortable.done, outcome.reused) == (1_370_013, 0)


def test_a_large_version_can_be_updated_and_updated_to(hostile: HostileServer, player: Player) -> None:
    changed = {**FILES, "b": b"new", "e": b"more"}
    hostile.serve(LinedVersion("v1", FILES), LinedVersion("v2", changed))
    player.install()

    player.update()

    assert player.files() == changed


def test_a_new_file_is_copied_from_one_that_stays(hostile: HostileServer, player: Player) -> None:
    larger = {**FILES, "another": FILES["c/d/e"]}
    hostile.serve(LinedVersion("v1", FILES), LinedVersion("v2", larger))
    player.install()
    fetched = hostile.fetches()

    player.update()

    assert player.files() == larger
    assert hostile.fetches() == fetched
    assert verify(player.folder, progress=NoProgress(), deep=False).checked == 0


def test_large_versions_are_verified_repaired_adopted_and_uninstalled(hostile: HostileServer, player: Player) -> None:
    hostile.serve(LinedVersion("v1", FILES, links={"a/l": "../b"}))
    player.install()
    player.put("a/b", b"HELLO")
    player.put("mine")
    (player.folder / "d").unlink()

    found = verify(player.folder, progress=NoProgress())
    assert (found.missing, found.damaged, found.own) == (("d",), ("a/b",), ("mine",))

    player.repair()
    assert player.files() == {**FILES, "a/l": b"-> ../b", "a/b.yours": b"HELLO", "mine": b"mine"}

    (player.folder / ".playdock/manifest.zst").write_bytes(b"damaged")
    player.adopt()
    assert verify(player.folder, progress=NoProgress(), deep=False).checked == 0

    assert uninstall(player.folder) == ["a/b.yours", "mine"]
    assert player.files() == {"a/b.yours": b"HELLO", "mine": b"mine"}
    assert not (player.folder / "c").exists()


def test_an_interrupted_update_goes_on_although_the_player_has_changed_other_files(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {**FILES, "a-b/c": b"new", "c/d/e": Random(4).randbytes(900_000)}
    hostile.serve(LinedVersion("v1", FILES), LinedVersion("v2", changed))
    player.install()
    build = Builder.build

    def stop(builder: Builder, *arguments: Any) -> None:
        build(builder, *arguments)
        raise _Stop("Stopped.")

    with monkeypatch.context() as patch:
        patch.setattr(Builder, "build", stop)
        with pytest.raises(_Stop):
            player.update()
    fetched = hostile.fetches()
    player.put("a/b", b"mine")

    outcome = player.update()

    assert player.files() == {**changed, "a/b": b"mine"}
    assert outcome.kept == ("a/b",)
    assert hostile.fetches() == fetched


class _Stop(ClientError):
    pass


@pytest.mark.parametrize("last", range(1, 4))
def test_an_interrupted_installation_goes_on_in_its_section(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    hostile.serve(LinedVersion("v1", FILES))
    build = section_installing.SectionBuilder.build
    built: list[str] = []

    def stop(builder: section_installing.SectionBuilder, section: Any) -> None:
        if len(built) == last:
            raise _Stop("Stopped.")
        built.append(section.files[0].path)
        build(builder, section)

    with monkeypatch.context() as patch:
        patch.setattr(section_installing.SectionBuilder, "build", stop)
        with pytest.raises(_Stop):
            player.install()
    outcome = player.install()

    assert player.files() == FILES
    assert outcome.reused == sum(len(FILES[path]) for path in sorted(FILES)[: 2 * last])


def test_a_damaged_file_of_an_earlier_section_is_built_again(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile.serve(LinedVersion("v1", FILES))
    with monkeypatch.context() as patch:
        patch.setattr("playdock_client.own_folder.OwnFolder.require_empty", _refuse_at_the_end())
        with pytest.raises(FolderTaken):
            player.install()
    (player.folder / ".playdock/staging/a/b").unlink()
    (player.folder / ".playdock/staging/a-b/c").write_bytes(b"short")

    player.install()

    assert player.files() == FILES


def _refuse_at_the_end() -> Callable[[object, str], None]:
    calls = []

    def refuse(_own: object, _game: str) -> None:
        calls.append(1)
        if len(calls) > 2:
            raise FolderTaken("taken")

    return refuse


def test_files_that_appear_during_the_installation_are_kept(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile.serve(LinedVersion("v1", FILES))
    build = section_installing.SectionBuilder.build

    def put(builder: section_installing.SectionBuilder, section: Any) -> None:
        build(builder, section)
        player.put("b", b"mine")

    monkeypatch.setattr(section_installing.SectionBuilder, "build", put)
    with pytest.raises(FolderTaken):
        player.install()

    assert player.files() == {"b": b"mine"}


def _swap(manifest: dict[str, Any]) -> None:
    manifest["files"][2], manifest["files"][3] = manifest["files"][3], manifest["files"][2]


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m.update(format=2),
        lambda m: m.update(size=1),
        lambda m: m["files"][6].update(path="../a"),
        lambda m: m["files"][6].update(path="0"),
        lambda m: m["files"][6].update(path="C/D/E"),
        lambda m: m["files"][6].update(offset=m["files"][5]["offset"]),
        lambda m: m["files"][6].update(hash="0" * 64),
        lambda m: m["files"][6].update(image=1),
        _swap,
        lambda m: m["links"].append({"path": "A/B", "target": "x"}),
        lambda m: m["links"].append({"path": "l", "target": "../../etc"}),
        lambda m: m.update(files=[]),
        lambda m: m.update(game="game-2"),
        lambda m: m.update(version="v2"),
    ],
)
def test_nothing_is_installed_of_an_unsafe_manifest(
    hostile: HostileServer, player: Player, edit: Callable[[dict[str, Any]], None]
) -> None:
    hostile.serve(LinedVersion("v1", FILES, edit=edit))

    with pytest.raises(BadManifest):
        player.install()

    assert player.files() == {}
    assert not (player.folder / ".playdock/staging").exists()


@pytest.mark.parametrize("end", [-1, -40, -400])
def test_an_incomplete_manifest_is_rejected(hostile: HostileServer, player: Player, end: int) -> None:
    version = LinedVersion("v1", FILES)
    version.__dict__["manifest"] = version.manifest[:end]
    hostile.serve(version)

    with pytest.raises(BadManifest):
        player.install()


def test_a_manifest_in_lines_is_the_same_as_a_whole(hostile: HostileServer) -> None:
    hostile.serve(LinedVersion("v1", FILES), HostileVersion("v1", FILES))
    with Server(hostile.address, "a-token") as server:
        lined = server.manifest("v1")

    assert [file.path for file in lined.files] == sorted(FILES)
