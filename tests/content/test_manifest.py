"""The public manifest, parsed as by a client."""

import json
from typing import Any

import pytest
from blake3 import blake3

from playdock.content.chunks import MAX_CHUNK, Digester, digest_small
from playdock.content.layers import Installation, merge
from playdock.content.manifest import manifest
from playdock.content.records import FileRecord, Layer, LinkRecord


def record(path: str, data: bytes, *, mode: int = 0o644) -> FileRecord:
    found = digest_small(data)
    return FileRecord(path, len(data), mode, 1, found.crc32, found.hash, found.chunks)


BASE = Layer((record("a", b"aa"), record("b", b"bbb")), (LinkRecord("l", "a"),))
DELTA = Layer((record("b", b"BBBB", mode=0o755), record("c/\u00fc", b"")), (), ("a",))


def read(installation: Installation, *, images: tuple[str, ...]) -> Any:
    return json.loads(b"".join(manifest(installation, game="g1", version="v2", images=images)))


@pytest.mark.parametrize("limit", ["MANY", "_MANY_CHUNKS"])
def test_the_manifest_of_a_large_version_is_the_same_in_lines(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    many = [record(f"{number:04}", number.to_bytes(2, "little")) for number in range(250)]
    long = FileRecord("0100.long", 200 * MAX_CHUNK, 0o644, 1, 7, b"h" * 32, many[1].chunks * 200)
    single = Layer((*many[:101], long, *many[101:]), (LinkRecord("l", "a\nb"),))
    plain = b"".join(manifest(merge([single]), game="g1", version="v1", images=("v1",)))
    monkeypatch.setattr(f"playdock.content.manifest.{limit}", 100)

    lines = b"".join(manifest(merge([single]), game="g1", version="v1", images=("v1",))).split(b"\n")

    assert (b"".join(lines), b"\n" in plain) == (plain, False)
    assert json.loads(lines[0] + b"]}")["version"] == "v1"
    assert json.loads(b"{" + lines[-1].removeprefix(b"],"))["links"] == [{"path": "l", "target": "a\nb"}]
    entries = [json.loads(b"[" + line.removesuffix(b",") + b"]") for line in lines[1:-1]]
    assert [file["path"] for files in entries for file in files] == [file.path for file in single.files]
    assert max(map(len, entries)) <= 100


def test_a_large_version_without_files_has_no_lines_with_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.content.manifest.MANY", -1)

    assert read(merge([Layer()]), images=("v1",))["files"] == []


def test_a_manifest_describes_the_whole_installation() -> None:
    assert read(merge([BASE, DELTA]), images=("v1", "v2")) == {
        "format": 1,
        "game": "g1",
        "version": "v2",
        "size": 4,
        "images": [{"version": "v1", "size": 5}, {"version": "v2", "size": 4}],
        "files": [
            {
                "path": "b",
                "size": 4,
                "mode": 0o755,
                "image": 1,
                "offset": 0,
                "hash": blake3(b"BBBB").hexdigest(),
                "crc32": 970595135,
                "chunks": [[4, blake3(b"BBBB").hexdigest()]],
            },
            {
                "path": "c/\u00fc",
                "size": 0,
                "mode": 0o644,
                "image": 1,
                "offset": 4,
                "hash": blake3().hexdigest(),
                "crc32": 0,
                "chunks": [],
            },
        ],
        "links": [{"path": "l", "target": "a"}],
        "removed": ["a"],
    }


def test_an_empty_installation_has_a_manifest() -> None:
    assert read(merge([Layer()]), images=("v1",))["files"] == []


def test_equal_layers_have_identical_manifests() -> None:
    first, second = (b"".join(manifest(merge([BASE]), game="g", version="v", images=["v"])) for _ in "12")

    assert first == second


def test_an_image_without_a_version_is_rejected() -> None:
    with pytest.raises(ValueError, match="zip"):
        manifest(merge([BASE, DELTA]), game="g", version="v", images=["v"])


def test_a_file_with_many_chunks_is_written_in_small_pieces() -> None:
    digester = Digester()
    digester.buffer[:MAX_CHUNK] = bytes(len(digester.buffer))
    digester.feed(MAX_CHUNK // 2)
    one = digester.finish().chunks
    big = Layer((FileRecord("big", 5000 * MAX_CHUNK // 2, 0o644, 1, 2, b"h" * 32, one * 5000),))

    pieces = list(manifest(merge([big]), game="g", version="v", images=["v"]))

    assert max(map(len, pieces)) < 256 * 1024
    chunks = json.loads(b"".join(pieces))["files"][0]["chunks"]
    assert (len(chunks), sum(length for length, _ in chunks)) == (5000, 5000 * MAX_CHUNK // 2)
