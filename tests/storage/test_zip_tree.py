"""Versions that are archives: every compression method, and many kinds of damage."""

import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from open_files import open_below
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.storage.entries import Tree, TreeEntry
from playdock.storage.ingest import ingest
from playdock.storage.library_policy import ArchiveLimits, LibraryPolicy
from playdock.storage.trees import open_tree
from playdock.storage.zip_tree import ZipTree

from .versions import FILES, at

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
BIG = "game.exe"
# Offsets of a member's fields in the directory, relative to its signature.
FLAGS, METHOD, CRC, PACKED_SIZE, SIZE, MODE = 8, 10, 16, 20, 24, 38


def pack(path: Path, *, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.mkdir("data")
        for name, data in FILES.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFREG | (0o755 if name == BIG else 0o644)) << 16
            archive.writestr(info, data, method)
        add_link(archive, "data/link", "../game.exe")
    return path


def add_link(archive: zipfile.ZipFile, name: str, target: str) -> None:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, target)


def one(path: Path, data: bytes = b"content" * 1000, *, name: str = "file", method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(name, data)
    return path


def patch(path: Path, field: int, value: bytes) -> Path:
    """Overwrite a field of the first member in the archive's directory."""
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02") + field
    data[place : place + len(value)] = value
    path.write_bytes(data)
    return path


def read(tree: Tree, listed: TreeEntry, *, offset: int = 0) -> bytes:
    data, buffer = bytearray(), memoryview(bytearray(100_000))
    with tree.reader() as reader, reader.open(listed, offset=offset) as source:
        while count := source.readinto(buffer):
            data += buffer[:count]
        return bytes(data[offset - source.start :])


@pytest.fixture(params=METHODS)
def archive(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return pack(tmp_path / "1.0.zip", method=request.param)


def test_files_and_links_are_listed_by_path(archive: Path) -> None:
    entries = open_tree(at(archive)).entries()

    assert [entry.path for entry in entries] == sorted([*FILES, "data/link"], key=str.encode)
    assert {entry.path: entry.target for entry in entries if entry.target} == {"data/link": "../game.exe"}
    assert {entry.path for entry in entries if entry.mode == 0o755} == {BIG}
    assert {entry.mtime_ns for entry in entries} == {archive.stat().st_mtime_ns}


def test_every_file_can_be_read_whole_in_pieces_and_from_an_offset(archive: Path) -> None:
    tree = open_tree(at(archive))
    for entry in tree.entries():
        if entry.target is None:
            with tree.reader() as reader:
                assert read(tree, entry) == reader.read(entry) == FILES[entry.path]
            assert read(tree, entry, offset=entry.size // 2) == FILES[entry.path][entry.size // 2 :]


def test_reading_from_a_compressed_file_decompresses_only_one_piece(tmp_path: Path) -> None:
    """A reader that skips to an offset can therefore be stopped on the way."""
    tree = open_tree(at(one(tmp_path / "a.zip", bytes(8_000_000))))
    [listed] = tree.entries()

    with tree.reader() as reader, reader.open(listed, offset=7_000_000) as source:
        assert source.start + source.readinto(memoryview(bytearray(8_000_000))) <= 1_000_000


def test_heads_and_names_are_read_without_the_rest(archive: Path) -> None:
    tree = open_tree(at(archive))

    assert {listed.path: listed.mode for listed in tree.names()} == {
        path: 0o755 if path == BIG else 0o644 for path in FILES
    }
    assert tree.head(BIG, length=4) == FILES[BIG][:4]
    assert tree.head("data/empty", length=4) == b""
    with pytest.raises(VersionChanged):
        tree.head("nothing", length=4)


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (ArchiveLimits(), ""),
        (ArchiveLimits(files=2, bytes=2000), ""),
        (ArchiveLimits(files=1), "archive-files"),
        (ArchiveLimits(bytes=1999), "archive-size"),
    ],
)
def test_the_number_and_the_declared_size_of_files_are_limited(
    tmp_path: Path, limits: ArchiveLimits, code: str
) -> None:
    path = tmp_path / "1.0.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in ("one", "two"):
            packed.writestr(name, bytes(1000))
    tree = open_tree(replace(at(path), policy=LibraryPolicy(archives=limits)))
    for listed in (tree.entries, lambda: list(tree.names())):
        if not code:
            assert len(listed()) == 2
            continue
        with pytest.raises(UnusableVersion) as refused:
            listed()
        assert refused.value.message.code == code


def test_all_files_are_closed(archive: Path) -> None:
    tree = open_tree(at(archive))
    read(tree, tree.entries()[0])

    assert open_below(archive) == []


def test_files_without_a_mode_get_the_default(tmp_path: Path) -> None:
    path = patch(one(tmp_path / "a.zip"), MODE, bytes(4))

    assert [entry.mode for entry in open_tree(at(path)).entries()] == [0o644]


def test_utf8_names_without_the_flag_are_decoded(tmp_path: Path) -> None:
    path = one(tmp_path / "a.zip", name="xx.txt")
    path.write_bytes(path.read_bytes().replace(b"xx.txt", "\u00fc.txt".encode()))

    assert [entry.path for entry in open_tree(at(path)).entries()] == ["\u00fc.txt"]


def test_dos_names_are_decoded(tmp_path: Path) -> None:
    path = one(tmp_path / "a.zip", name="x.txt")
    path.write_bytes(path.read_bytes().replace(b"x.txt", "\u00fc.txt".encode("cp437")))

    assert [entry.path for entry in open_tree(at(path)).entries()] == ["\u00fc.txt"]


def truncated(path: Path) -> Path:
    os.truncate(pack(path), 5000)
    return path


def no_zip(path: Path) -> Path:
    path.write_bytes(b"not an archive")
    return path


def name_not_utf8(path: Path) -> Path:
    one(path, name="\u00fc.txt")
    path.write_bytes(path.read_bytes().replace("\u00fc.txt".encode(), b"\xff\xff.txt"))
    return path


@pytest.mark.parametrize("make", [truncated, no_zip, name_not_utf8])
def test_an_archive_without_a_directory_is_reported(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    with pytest.raises(UnusableVersion, match="damaged or incomplete"):
        open_tree(at(make(tmp_path / "a.zip")))


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        (FLAGS, b"\x01\x00", "encrypted"),
        (FLAGS, b"\x41\x00", "encrypted"),
        (METHOD, b"\x09\x00", "method 9"),
        (METHOD, b"\x00\x00", "damaged"),
        (MODE, struct.pack("<I", stat.S_IFIFO << 16), "a device, pipe or socket"),
        (MODE, struct.pack("<I", stat.S_IFCHR << 16), "a device, pipe or socket"),
    ],
)
def test_unsupported_content_is_reported(tmp_path: Path, field: int, value: bytes, reason: str) -> None:
    path = patch(one(tmp_path / "a.zip"), field, value)

    with pytest.raises(UnusableVersion, match=reason) as caught:
        open_tree(at(path)).entries()
    assert "“file”" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize("name", ["../x", "/x", "a\\b", "con.txt", "a\nb", "a/./b"])
def test_dangerous_names_are_rejected(tmp_path: Path, name: str) -> None:
    path = one(tmp_path / "a.zip", name=name)

    with pytest.raises(UnusableVersion, match="Rename or remove it"):
        open_tree(at(path)).entries()
    assert list(open_tree(at(path)).names()) == []


def test_a_name_with_a_null_character_is_rejected(tmp_path: Path) -> None:
    path = one(tmp_path / "a.zip", name="game.txtX.exe")
    path.write_bytes(path.read_bytes().replace(b"game.txtX.exe", b"game.txt\x00.exe"))

    with pytest.raises(UnusableVersion, match="control character"):
        open_tree(at(path)).entries()


@pytest.mark.parametrize("second", ["file", "FILE", "file/below"])
def test_duplicate_member_names_are_rejected(tmp_path: Path, second: str) -> None:
    path = one(tmp_path / "a.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(second.upper() if second == "file" else second, b"other")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"FILE", b"file") if second == "file" else data)

    with pytest.raises(UnusableVersion, match=r"twice|only by case|both a file and a folder"):
        open_tree(at(path)).entries()


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("../x", "points outside the version"),
        ("/etc/passwd", "absolute"),
        ("x" * 5000, "is too long"),
        ("a\x00", "control"),
    ],
)
def test_links_that_leave_the_version_are_rejected(tmp_path: Path, target: str, reason: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        add_link(archive, "link", target)

    with pytest.raises(UnusableVersion, match=reason):
        open_tree(at(tmp_path / "a.zip")).entries()


def test_a_link_with_a_wrong_checksum_is_damaged(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        add_link(archive, "link", "target")
    (tmp_path / "a.zip").write_bytes((tmp_path / "a.zip").read_bytes().replace(b"target", b"tarGet"))

    with pytest.raises(UnusableVersion, match="“link” is damaged"):
        open_tree(at(tmp_path / "a.zip")).entries()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [6999, 1, 0, 7001, 1_000_000])
def test_members_with_a_wrong_length_are_damaged(tmp_path: Path, method: int, size: int) -> None:
    path = patch(one(tmp_path / "a.zip", method=method), SIZE, size.to_bytes(4, "little"))

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        ingest(open_tree(at(path)), workers=1, checkpoint=lambda _: None)


@pytest.mark.parametrize("method", METHODS[1:])
def test_truncated_members_are_damaged(tmp_path: Path, method: int) -> None:
    noise = os.urandom(7000)
    path = patch(one(tmp_path / "a.zip", noise, method=method), PACKED_SIZE, (3000).to_bytes(4, "little"))
    tree = open_tree(at(path))

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        read(tree, tree.entries()[0])


@pytest.mark.parametrize("method", METHODS)
def test_members_with_an_offset_outside_the_archive_are_damaged(tmp_path: Path, method: int) -> None:
    path = patch(one(tmp_path / "a.zip", method=method), PACKED_SIZE + 4 + 18, (10**6).to_bytes(4, "little"))
    tree = open_tree(at(path))

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        read(tree, tree.entries()[0])


@pytest.mark.parametrize("method", METHODS[1:])
def test_members_with_invalid_compressed_data_are_damaged(tmp_path: Path, method: int) -> None:
    path = one(tmp_path / "a.zip", b"content" * 1000, method=method)
    data = bytearray(path.read_bytes())
    data[34:54] = b"\xff" * 20
    path.write_bytes(data)
    tree = open_tree(at(path))

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        read(tree, tree.entries()[0])


@pytest.mark.parametrize("method", METHODS)
def test_a_changed_archive_is_detected(tmp_path: Path, method: int) -> None:
    path = one(tmp_path / "a.zip", method=method)
    tree = open_tree(at(path))
    listed = tree.entries()[0]
    os.utime(path, ns=(1, 1))

    with pytest.raises(VersionChanged, match="“file” changed"):
        read(tree, listed)


def test_an_archive_overwritten_while_it_is_read_is_changed_not_damaged(tmp_path: Path) -> None:
    path = one(tmp_path / "a.zip", os.urandom(10**6))
    tree = open_tree(at(path))
    listed = tree.entries()[0]
    path.write_bytes(b"PK" + b"\xff" * 10**6)

    with pytest.raises(VersionChanged):
        read(tree, listed)


def test_a_zip64_archive_is_supported(tmp_path: Path) -> None:
    path = tmp_path / "BIG.ZIP"
    with zipfile.ZipFile(path, "w") as archive, archive.open("file", "w", force_zip64=True) as member:
        member.write(b"x" * 100)

    tree = open_tree(at(path))
    assert read(tree, tree.entries()[0]) == b"x" * 100
    assert isinstance(open_tree(at(path)), ZipTree)


@pytest.fixture(scope="module", params=METHODS, ids=str)
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with each kind of member, a few hundred bytes each."""
    path = tmp_path_factory.mktemp("sound") / "a.zip"
    with zipfile.ZipFile(path, "w", request.param) as archive:
        archive.writestr("folder/file", b"some content " * 20)
        archive.writestr("\u00fc", b"x")
        add_link(archive, "link", "folder/file")
    return path


@given(st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_archive_is_rejected_or_has_its_original_content(sound: Path, data: st.DataObject) -> None:
    whole = sound.read_bytes()
    broken = bytearray(whole[: data.draw(st.integers(0, len(whole)) | st.just(len(whole)))])
    for place in data.draw(st.lists(st.integers(0, max(0, len(broken) - 1)), max_size=3)):
        broken[place : place + 1] = data.draw(st.binary(min_size=1, max_size=1))
    path = sound.with_name("broken.zip")
    path.write_bytes(broken)

    try:
        layer = ingest(open_tree(at(path)), workers=1, checkpoint=lambda _: None)
    except UnusableVersion:
        return
    contents = {b"some content " * 20, b"x", b"folder/file"}
    assert {file.crc32 for file in layer.files} <= {crc32(content) for content in contents}
