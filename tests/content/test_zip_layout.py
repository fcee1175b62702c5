"""The computed archive: any part is the corresponding slice of the whole, and other programs read it."""

import io
import shutil
import stat
import subprocess
import zipfile
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.file_table import FileTable
from playdock.content.records import LinkRecord
from playdock.content.zip_layout import ZipBody

GIB = 1024**3
WIDE = 0xFFFFFFFF
NOON = 1_700_000_000 * 10**9
needs_unzip = pytest.mark.skipif(shutil.which("unzip") is None, reason="unzip is not here: install it")
needs_7z = pytest.mark.skipif(shutil.which("7z") is None, reason="7z is not here: install Debian's p7zip-full")
DOOM = {"doom": b"program" * 9, "data/empty": b"", "data/\u30c9\u30a2.txt": "\u6249".encode(), "wide space.txt": b"x"}
LINKS = [LinkRecord("data/latest", "../doom"), LinkRecord("\u00fc", "data/\u30c9\u30a2.txt")]


@dataclass(frozen=True, slots=True)
class DeclaredFile:
    """A file without content, as its headers describe it."""

    path: str
    size: int
    crc32: int = 0
    mode: int = 0o644
    mtime_ns: int = NOON


def table_of(files: Iterable[DeclaredFile]) -> FileTable:
    files = sorted(files, key=lambda file: file.path)
    return FileTable(
        paths=tuple(file.path for file in files),
        images=array("H", (0 for _ in files)),
        sizes=array("Q", (file.size for file in files)),
        ends=array("Q", accumulate(file.size for file in files)),
        modes=array("H", (file.mode for file in files)),
        mtimes=tuple(file.mtime_ns for file in files),
        crcs=array("I", (file.crc32 for file in files)),
        hashes=bytes(32 * len(files)),
    )


def body_of(contents: Mapping[str, bytes], links: Iterable[LinkRecord] = (), **more: int) -> ZipBody:
    files = [DeclaredFile(path, len(data), crc32(data), **more) for path, data in contents.items()]
    return ZipBody(table_of(files), list(links))


def bytes_of(body: ZipBody, contents: Mapping[str, bytes], start: int = 0, end: int | None = None) -> bytes:
    """Return the bytes of an archive from ``start`` to ``end``."""
    pieces = body.pieces(start, body.size if end is None else end)
    return b"".join(
        piece if isinstance(piece, bytes) else contents[piece.file.path][piece.offset :][: piece.length]
        for piece in pieces
    )


def opened(body: ZipBody, contents: Mapping[str, bytes]) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(bytes_of(body, contents)))


def concatenated(body: ZipBody, path: Path, contents: Mapping[str, bytes]) -> Path:
    """Write the archive to a sparse file, with holes for files without given content."""
    with path.open("wb") as file:
        for piece in body.pieces(0, body.size):
            if isinstance(piece, bytes):
                file.write(piece)
            elif piece.file.path in contents:
                file.write(contents[piece.file.path])
            else:
                file.seek(piece.length, io.SEEK_CUR)
    return path


def output_of(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")
    return done.stdout.decode(errors="replace")


@pytest.fixture
def doom(tmp_path: Path) -> Path:
    return concatenated(body_of(DOOM, LINKS, mode=0o755), tmp_path / "doom.zip", DOOM)


# --- Parts ---


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1, max_size=8)


@given(st.dictionaries(NAMES, st.binary(max_size=40), max_size=12), st.lists(NAMES, max_size=3), st.data())
def test_any_part_equals_that_slice_of_the_archive(
    contents: dict[str, bytes], targets: list[str], data: st.DataObject
) -> None:
    body = body_of(contents, [LinkRecord(f"link/{number}", target) for number, target in enumerate(targets)])
    whole = bytes_of(body, contents)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))

    assert len(whole) == body.size
    assert bytes_of(body, contents, start, end) == whole[start:end]
    assert all(len(piece) if isinstance(piece, bytes) else piece.length for piece in body.pieces(start, end))


def test_every_part_of_a_small_archive_equals_that_slice() -> None:
    body = body_of({"a": b"", "b": b"12"}, [LinkRecord("c", "b")])
    whole = bytes_of(body, {"b": b"12"})
    for start in range(len(whole) + 1):
        for end in {*range(start, min(start + 5, len(whole))), len(whole)}:
            assert bytes_of(body, {"b": b"12"}, start, end) == whole[start:end]


@given(st.dictionaries(NAMES, st.binary(max_size=40), max_size=12))
def test_an_archive_contains_the_files_of_the_version(contents: dict[str, bytes]) -> None:
    with opened(body_of(contents), contents) as archive:
        assert archive.testzip() is None
        assert {info.orig_filename: archive.read(info) for info in archive.infolist()} == contents


# --- Headers ---


def test_modes_links_and_names_are_in_the_headers() -> None:
    with opened(body_of(DOOM, LINKS, mode=0o755), DOOM) as archive:
        infos = {info.filename: info for info in archive.infolist()}
        links = {name for name, info in infos.items() if stat.S_ISLNK(info.external_attr >> 16)}
        assert links == {link.path for link in LINKS}
        assert {archive.read(link.path).decode() for link in LINKS} == {link.target for link in LINKS}
    assert {infos[name].external_attr for name in DOOM} == {0o100755 << 16}
    assert {(info.create_system, info.flag_bits, info.compress_type) for info in infos.values()} == {(3, 0x800, 0)}


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (datetime(2026, 11, 20, 13, 59, 58, tzinfo=UTC), (2026, 11, 20, 13, 59, 58)),
        (datetime(2026, 11, 20, 13, 59, 59, tzinfo=UTC), (2026, 11, 20, 13, 59, 58)),
        (datetime(1980, 1, 1, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(1979, 12, 31, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(1901, 1, 1, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(2106, 12, 31, 23, 59, 59, tzinfo=UTC), (2106, 12, 31, 23, 59, 58)),
        (datetime(2107, 1, 1, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(2262, 1, 1, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
    ],
)
def test_times_have_the_range_and_precision_of_dos(moment: datetime, expected: tuple[int, ...]) -> None:
    with opened(body_of({"a": b""}, mtime_ns=int(moment.timestamp()) * 10**9), {}) as archive:
        assert archive.infolist()[0].date_time == expected


@needs_unzip
def test_unzip_extracts_the_installation(doom: Path, tmp_path: Path) -> None:
    output_of("unzip", "-tq", doom)
    output_of("unzip", "-q", doom, "-d", tmp_path / "out")

    assert {path: (tmp_path / "out" / path).read_bytes() for path in DOOM} == DOOM
    assert (tmp_path / "out/doom").stat().st_mode & 0o777 == 0o755
    assert [str((tmp_path / "out" / link.path).readlink()) for link in LINKS] == [link.target for link in LINKS]


@needs_7z
def test_7z_extracts_the_installation(tmp_path: Path) -> None:
    """The archive has no links to parent folders, which 7z rejects regardless of their target."""
    path = concatenated(body_of(DOOM, LINKS[1:]), tmp_path / "doom.zip", DOOM)
    assert "Everything is Ok" in output_of("7z", "t", path)
    output_of("7z", "x", path, f"-o{tmp_path / 'out'}")

    assert {path: (tmp_path / "out" / path).read_bytes() for path in DOOM} == DOOM


def test_a_version_without_files_is_an_empty_archive() -> None:
    with opened(body_of({}), {}) as archive:
        assert archive.namelist() == []


# --- Beyond the limits without Zip64 ---


@pytest.mark.parametrize("count", [65_534, 65_535])
def test_the_number_of_members_may_exceed_16_bits(count: int, tmp_path: Path) -> None:
    contents = {f"{number:05}": b"" for number in range(count)}
    path = concatenated(body_of(contents), tmp_path / "many.zip", contents)
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == count
    assert (b"PK\6\6" in path.read_bytes()) == (count >= 65_535)


@needs_unzip
@needs_7z
def test_programs_read_more_members_than_16_bits_allow(tmp_path: Path) -> None:
    contents = {f"{number:05}": b"x" for number in range(70_000)}
    path = concatenated(body_of(contents), tmp_path / "many.zip", contents)

    output_of("unzip", "-tqq", path)
    assert "Files: 70000" in output_of("7z", "t", path)


@pytest.mark.parametrize("size", [WIDE - 1, WIDE, WIDE + 1, 5 * GIB])
def test_sizes_and_offsets_may_exceed_32_bits(size: int, tmp_path: Path) -> None:
    """zipfile checks the local header of a member when it opens it."""
    files = [DeclaredFile("a big one", size), DeclaredFile("behind", 3, crc32(b"end"))]
    body = ZipBody(table_of(files), [LinkRecord("last", "behind")])
    path = concatenated(body, tmp_path / "big.zip", {"behind": b"end"})

    assert path.stat().st_size == body.size
    with zipfile.ZipFile(path) as archive:
        assert [info.file_size for info in archive.infolist()] == [size, 3, 6]
        assert (archive.read("behind"), archive.read("last")) == (b"end", b"behind")
        with archive.open("a big one") as member:
            assert member.read(10) == bytes(10)


@pytest.mark.parametrize("size", [WIDE - 200, WIDE, 5 * GIB, 2**40])
def test_any_part_of_a_large_archive_has_the_same_headers(size: int) -> None:
    """Pieces cut anywhere are equal; nothing of the size of the files is allocated."""
    body = ZipBody(table_of([DeclaredFile("a", size), DeclaredFile("b", size), DeclaredFile("c", 1)]))
    whole = list(body.pieces(0, body.size))
    for middle in (0, 1, 31, size // 2, size + 33, size + 60, 2 * size + 100, body.size - 22, body.size):
        parts = [*body.pieces(0, middle), *body.pieces(middle, body.size)]
        assert b"".join(part for part in parts if isinstance(part, bytes)) == b"".join(
            part for part in whole if isinstance(part, bytes)
        )
        assert sum(part.length for part in parts if not isinstance(part, bytes)) == 2 * size + 1


@needs_unzip
@needs_7z
def test_programs_read_sizes_and_offsets_of_more_than_32_bits(tmp_path: Path) -> None:
    files = [DeclaredFile("a big one", 5 * GIB), DeclaredFile("behind", 3, crc32(b"end"))]
    path = concatenated(ZipBody(table_of(files)), tmp_path / "big.zip", {"behind": b"end"})

    assert str(5 * GIB) in output_of("unzip", "-lqq", path)
    assert f"Size = {5 * GIB}" in output_of("7z", "l", "-slt", path)
    assert "No errors detected" in output_of("unzip", "-tq", path, "behind")
    assert "Everything is Ok" in output_of("7z", "t", path, "behind")
