"""Versions that are `.7z`, `.rar`, `.iso` and `.tar` archives: every format, and many kinds of damage and malice."""

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from subprocess import run

import pytest

import packing
from playdock.content.errors import UnusableVersion
from playdock.storage import unpacking
from playdock.storage.entries import Tree
from playdock.storage.file_cache import FileCache
from playdock.storage.ingest import ingest
from playdock.storage.library_policy import ArchiveLimits, LibraryPolicy
from playdock.storage.locations import VersionLocation
from playdock.storage.trees import open_tree

if unpacking.library_version() is None:
    pytest.skip("libarchive is not installed", allow_module_level=True)

FILES = {
    "game.exe": Random(1).randbytes(3_000_000),
    "data/level one.dat": Random(2).randbytes(5000) * 20,
    "data/empty": b"",
    "data/\u30c9\u30a2.txt": b"door",
}
LIMITS = ArchiveLimits(files=1000, bytes=10**9)


def located(archive: Path, limits: ArchiveLimits = LIMITS) -> VersionLocation:
    cache = FileCache(archive.parent / ".cache", max_bytes=10**9, boot="1")
    return VersionLocation(archive.parent, archive.name, LibraryPolicy(archives=limits, unpacked=cache))


def opened(archive: Path, limits: ArchiveLimits = LIMITS) -> Tree:
    return open_tree(located(archive, limits))


@pytest.fixture
def game(tmp_path: Path) -> Path:
    folder = tmp_path / "game"
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "game.exe").chmod(0o755)
    return folder


@pytest.mark.parametrize("suffix", packing.PACKERS)
def test_files_are_read_as_they_were_packed(game: Path, tmp_path: Path, suffix: str) -> None:
    tree = opened(packing.pack(game, tmp_path / f"1.0.{suffix}"))

    layer = ingest(tree, workers=2, checkpoint=lambda _: None)

    assert {file.path: file.size for file in layer.files} == {path: len(data) for path, data in FILES.items()}
    with tree.reader() as reader:
        assert {path: reader.read(tree.entry(path)) for path in FILES} == FILES
    assert {file.mode & 0o100 for file in layer.files if file.path == "game.exe"} == {0o100}


@pytest.mark.parametrize("suffix", ["tar.lz4", "tar.lz", "tar.Z"])
def test_archives_of_other_packers_are_read(game: Path, tmp_path: Path, suffix: str) -> None:
    archive = tmp_path / f"1.0.{suffix}"
    option = {"tar.lz4": "--lz4", "tar.lz": "--lzip", "tar.Z": "--compress"}[suffix]
    run(("bsdtar", option, "-cf", str(archive), "."), cwd=game, check=True)
    tree = opened(archive)
    tree.prepare(lambda _: None)

    with tree.reader() as reader:
        assert {path: reader.read(tree.entry(path)) for path in FILES} == FILES


def test_the_older_format_of_rar_is_read(tmp_path: Path) -> None:
    archive = tmp_path / "1.0.rar"
    archive.write_bytes(packing.rar4_of({"game.exe": b"rar"}))
    tree = opened(archive)
    tree.prepare(lambda _: None)
    with tree.reader() as reader:
        assert reader.read(tree.entry("game.exe")) == b"rar"


def test_symbolic_and_hard_links_are_kept(tmp_path: Path) -> None:
    def write(archive: tarfile.TarFile) -> None:
        add(archive, "bin/game", b"content")
        add(archive, "link", kind=tarfile.SYMTYPE, target="bin/game")
        add(archive, "same", kind=tarfile.LNKTYPE, target="./bin/game")

    layer = ingest(opened(tar(tmp_path, write)), workers=1, checkpoint=lambda _: None)
    assert [(link.path, link.target) for link in layer.links] == [("link", "bin/game")]
    assert [(file.path, file.size) for file in layer.files] == [("bin/game", 7), ("same", 7)]
    assert layer.files[0].hash == layer.files[1].hash


def test_it_is_unpacked_once_and_listed_once(game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packing.pack(game, tmp_path / "1.0.tar.gz")
    assert opened(archive).prepare(lambda _: None) == sum(map(len, FILES.values()))
    monkeypatch.setattr(unpacking, "_INTERPRETER", ("/bin/false",))

    again = opened(archive)
    assert again.prepare(lambda _: None) == 0
    assert again.head("game.exe", length=10) == FILES["game.exe"][:10]


def test_programs_are_recognized_without_unpacking(game: Path, tmp_path: Path) -> None:
    (game / "start").write_bytes(b"\x7fELF" + bytes(2000))
    (game / "start").chmod(0o755)
    tree = opened(packing.pack(game, tmp_path / "1.0.7z"))
    assert tree.head("start", length=1024) == b"\x7fELF" + bytes(1020)
    assert len(list((tmp_path / ".cache").iterdir())) == len(("total", "members"))


def test_it_stops_when_told_to(game: Path, tmp_path: Path) -> None:
    tree = opened(packing.pack(game, tmp_path / "1.0.7z"))

    def cancel(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tree.prepare(cancel)
    assert not list((tmp_path / ".cache").glob("*.part"))
    assert tree.prepare(lambda _: None)


def tar(tmp_path: Path, write: Callable[[tarfile.TarFile], None]) -> Path:
    path = tmp_path / "1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        write(archive)
    return path


def add(
    archive: tarfile.TarFile, name: str, data: bytes = b"", *, kind: bytes = tarfile.REGTYPE, target: str = ""
) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.mode = kind, target, len(data), 0o755
    archive.addfile(info, io.BytesIO(data))


REGULAR, LINK, HARD_LINK = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
HOSTILE: dict[str, tuple[list[tuple[str, bytes, str]], str]] = {
    "traversal": ([("../evil", REGULAR, "")], "path"),
    "absolute": ([("/etc/passwd", REGULAR, "")], "path"),
    "backslash": ([("..\\evil", REGULAR, "")], "path"),
    "client's folder": ([(".playdock/x", REGULAR, "")], "path"),
    "link outside": ([("link", LINK, "../../etc")], "link"),
    "absolute link": ([("link", LINK, "/etc")], "link"),
    "hard link outside": ([("link", HARD_LINK, "/etc/passwd")], "damaged"),
    "duplicate": ([("twice", REGULAR, ""), ("twice", REGULAR, "")], "twice"),
    "case": ([("Game", REGULAR, ""), ("game", REGULAR, "")], "differ"),
    "device": ([("null", tarfile.CHRTYPE, "")], "device"),
    "pipe": ([("pipe", tarfile.FIFOTYPE, "")], "device"),
    "many": ([(str(number), REGULAR, "") for number in range(1001)], "more than 1,000 files"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_members_are_refused(tmp_path: Path, name: str) -> None:
    members, reason = HOSTILE[name]

    def write(archive: tarfile.TarFile) -> None:
        for path, kind, target in members:
            add(archive, path, kind=kind, target=target)

    with pytest.raises(UnusableVersion) as refused:
        opened(tar(tmp_path, write)).entries()
    assert reason in str(refused.value.message) or reason in refused.value.message.code


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    archive = tar(tmp_path, lambda packed: add(packed, "zeros", bytes(20_000_000)))
    tree = opened(archive, ArchiveLimits(bytes=10_000_000))
    with pytest.raises(UnusableVersion, match="10,000,000 are allowed"):
        tree.prepare(lambda _: None)
    assert archive.stat().st_size < 100_000


@pytest.mark.parametrize("size", [3, 7, 2**40])
def test_false_sizes_are_damage(tmp_path: Path, size: int) -> None:
    archive = tmp_path / "1.0.rar"
    archive.write_bytes(packing.rar5_of({"game": b"12345"}, sizes={"game": size}))
    with pytest.raises(UnusableVersion):
        opened(archive, ArchiveLimits(bytes=10**12)).prepare(lambda _: None)


@pytest.mark.parametrize("suffix", ["7z", "rar", "iso", "tar.xz", "tar.zst"])
def test_truncated_and_changed_archives_are_refused(game: Path, tmp_path: Path, suffix: str) -> None:
    whole = packing.pack(game, tmp_path / f"whole.{suffix}").read_bytes()
    wrong = bytearray(whole)
    wrong[len(wrong) // 2] ^= 0xFF
    # A disc image has no checksums, and libarchive does not compare those of stored members of a RAR archive.
    unchecked = [] if suffix in ("iso", "rar") else [bytes(wrong)]
    for data in (whole[: len(whole) // 2], *unchecked, b"", b"nothing" * 1000):
        archive = tmp_path / f"1.0.{suffix}"
        archive.write_bytes(data)
        with pytest.raises(UnusableVersion):
            opened(archive).prepare(lambda _: None)


@pytest.mark.parametrize("options", [("-psecret",), ("-psecret", "-mhe=on")])
def test_encrypted_archives_are_refused(game: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    packing.seven_zip(game, tmp_path / "1.0.7z", *options)
    with pytest.raises(UnusableVersion, match="without a password"):
        opened(tmp_path / "1.0.7z").prepare(lambda _: None)


def test_a_volume_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "game.part1.rar").write_bytes(packing.rar5_of({"game": b"1"}))
    with pytest.raises(UnusableVersion, match="several files"):
        opened(tmp_path / "game.part1.rar")


def test_without_the_library_the_message_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_INTERPRETER", ("/bin/sh", "-c", "exit 3"))
    (tmp_path / "1.0.7z").write_bytes(b"7z")
    with pytest.raises(UnusableVersion, match="libarchive"):
        opened(tmp_path / "1.0.7z")
    assert unpacking.library_version() is None


def test_a_process_that_hangs_or_crashes_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "1.0.7z").write_bytes(b"7z")
    for script, words in (("kill -XCPU $$", "too long"), ("kill -SEGV $$", "damaged"), ("echo junk", "damaged")):
        monkeypatch.setattr(unpacking, "_INTERPRETER", ("/bin/sh", "-c", script))
        with pytest.raises(UnusableVersion, match=words):
            opened(tmp_path / "1.0.7z")


def test_the_process_gets_limits_and_no_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", "hidden")
    assert "SECRET_KEY" not in unpacking._environment()
    program = (
        "import resource, sys; from playdock.storage import libarchive_process as own; own._restrict(7); "
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0], resource.getrlimit(resource.RLIMIT_AS)[0], "
        "resource.getrlimit(resource.RLIMIT_FSIZE)[0])"
    )
    interpreter = unpacking._INTERPRETER[0]
    done = run((interpreter, "-c", program), capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["7", str(2 * 1024**3), "0"]
    assert os.environ["SECRET_KEY"] == "hidden"
