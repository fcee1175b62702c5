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
