"""Disc images with files that only UDF describes, and a note in ISO 9660 that says so."""

import io
import subprocess
from collections.abc import Mapping
from pathlib import Path
from random import Random
from shutil import which

import pytest
from pycdlib import PyCdlib
from pycdlib.udf import UDFFileEntry

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
    "setup.exe": b"MZ" + Random(1).randbytes(3_000_000),
    "data/level one.dat": Random(2).randbytes(100_001),
    "data/deep/er/empty": b"",
    "data/\u30c9\u30a2.txt": b"door",
}


def write_image(path: Path, files: Mapping[str, bytes]) -> None:
    image = PyCdlib()
    image.new(interchange_level=3, udf="2.60")
    image.add_fp(io.BytesIO(b"See UDF."), 8, "/README.TXT;1")
    folders = {parent for name in files for parent in Path(name).parents if parent != Path()}
    for folder in sorted(folders):
        image.add_directory(udf_path=f"/{folder}")
    for name, data in files.items():
        image.add_fp(io.BytesIO(data), len(data), udf_path=f"/{name}")
    image.write(str(path))
    image.close()


def opened(image: Path, *, files: int = 1000) -> Tree:
    cache = FileCache(image.parent / ".cache", max_bytes=10**9, boot="1")
    policy = LibraryPolicy(archives=ArchiveLimits(files=files, bytes=10**9), unpacked=cache)
    return open_tree(VersionLocation(image.parent, image.name, policy))


def test_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_image(tmp_path / "1.0.iso", FILES)
    tree = opened(tmp_path / "1.0.iso")

    head = tree.head("setup.exe", length=2)
    layer = ingest(tree, workers=2, checkpoint=lambda _: None)

    assert head == b"MZ"
    assert {file.path: file.size for file in layer.files} == {path: len(data) for path, data in FILES.items()}
    with tree.reader() as reader:
        assert {path: reader.read(tree.entry(path)) for path in FILES} == FILES


@pytest.mark.skipif(which("7z") is None, reason="7z is not installed")
def test_another_reader_finds_the_same_files(tmp_path: Path) -> None:
    write_image(tmp_path / "1.0.iso", FILES)

    subprocess.run(("7z", "x", "-y", "-bd", str(tmp_path / "1.0.iso")), cwd=tmp_path, check=True, capture_output=True)

    assert {path: (tmp_path / path).read_bytes() for path in FILES} == FILES


def test_an_image_with_its_files_in_both_is_read_as_before(tmp_path: Path) -> None:
    image = PyCdlib()
    image.new(interchange_level=3, joliet=3, udf="2.60")
    data = FILES["data/level one.dat"]
    image.add_fp(io.BytesIO(data), len(data), "/LEVEL.DAT;1", joliet_path="/level one.dat", udf_path="/level one.dat")
    image.write(str(tmp_path / "1.0.iso"))
    image.close()
    tree = opened(tmp_path / "1.0.iso")
    tree.prepare(lambda _: None)

    with tree.reader() as reader:
        assert [(entry.path, reader.read(entry)) for entry in tree.entries()] == [("level one.dat", data)]


def test_an_image_without_iso_9660_is_refused(tmp_path: Path) -> None:
    image = bytearray(2048 * 40)
    for sector, name in ((16, b"BEA01"), (17, b"NSR02"), (18, b"TEA01")):
        image[sector * 2048 : sector * 2048 + 6] = b"\0" + name
    (tmp_path / "1.0.iso").write_bytes(image)
    with pytest.raises(UnusableVersion, match="UDF"):
        opened(tmp_path / "1.0.iso")


def test_a_file_that_is_not_recorded_completely_is_refused(tmp_path: Path) -> None:
    image = PyCdlib()
    image.new(interchange_level=3, udf="2.60")
    image.add_fp(io.BytesIO(b"See UDF."), 8, "/README.TXT;1")
    image.add_fp(io.BytesIO(bytes(100_000)), 100_000, udf_path="/game")
    # The extents without records stand for zeros, whatever is there.
    entry = image.get_record(udf_path="/game")
    assert isinstance(entry, UDFFileEntry)
    entry.log_block_recorded = 0
    image.write(str(tmp_path / "1.0.iso"))
    image.close()

    with pytest.raises(UnusableVersion, match="UDF"):
        opened(tmp_path / "1.0.iso")


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    write_image(tmp_path / "1.0.iso", FILES)
    with pytest.raises(UnusableVersion, match="more than 3 files"):
        opened(tmp_path / "1.0.iso", files=3)


def test_damage_anywhere_gives_an_error_or_other_content_and_nothing_else(tmp_path: Path) -> None:
    write_image(tmp_path / "whole.iso", {"data/game": b"game" * 1000})
    whole, random = (tmp_path / "whole.iso").read_bytes(), Random(3)
    # Descriptors: those of the volume from sector 16 and 32 on, and those of the files from sector 257 on.
    places = [*range(16 * 2048, 40 * 2048), *range(257 * 2048, 264 * 2048)]
    outcomes = set()
    for number in range(25):
        damaged = bytearray(whole)
        for position in random.sample(places, 200):
            damaged[position] = random.randrange(256)
        image = tmp_path / f"{number}.iso"
        image.write_bytes(damaged)
        try:
            opened(image).prepare(lambda _: None)
            outcomes.add("read")
        except UnusableVersion as error:
            outcomes.add(error.message.code)

    assert outcomes <= {"read", "archive-udf", "archive-damaged", "member-damaged"}
    assert len(outcomes) > 1


def test_a_truncated_image_is_refused(tmp_path: Path) -> None:
    write_image(tmp_path / "1.0.iso", FILES)
    content = (tmp_path / "1.0.iso").read_bytes()
    (tmp_path / "1.0.iso").write_bytes(content[: len(content) // 2])

    with pytest.raises(UnusableVersion):
        opened(tmp_path / "1.0.iso").prepare(lambda _: None)
