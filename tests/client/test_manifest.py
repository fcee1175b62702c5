"""Manifests of servers that lie or err."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from client.lying_server import HostileVersion
from playdock_client.errors import BadManifest
from playdock_client.manifest import read_manifest

Edit = Callable[[dict[str, Any]], None]


def _version(edit: Edit = lambda manifest: None) -> HostileVersion:
    return HostileVersion("v1", {"a": b"x" * 200_000, "b/c": b"hello", "empty": b""}, links={"l": "b/c"}, edit=edit)


def test_chunks_have_their_files_and_offsets() -> None:
    manifest = read_manifest(_version().manifest)

    assert [(chunk.number, chunk.file.path, chunk.start, chunk.image_offset) for chunk in manifest.chunks] == [
        (0, "a", 0, 0),
        (1, "a", 65536, 65536),
        (2, "a", 131072, 131072),
        (3, "a", 196608, 196608),
        (4, "b/c", 0, 200_000),
    ]


def _file(manifest: dict[str, Any], **changes: Any) -> None:
    manifest["files"][0].update(changes)


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m.update(format=2),
        lambda m: m.update(size=1),
        lambda m: m.update(files=None),
        lambda m: _file(m, path="../a"),
        lambda m: _file(m, path=".playdock/switch.json"),
        lambda m: _file(m, size=2**60),
        lambda m: _file(m, size=-1),
        lambda m: _file(m, image=1),
        lambda m: _file(m, image=-1),
        lambda m: _file(m, offset=-1),
        lambda m: _file(m, offset=7),
        lambda m: _file(m, hash="0" * 64),
        lambda m: _file(m, chunks=[[200_000, "0" * 63]]),
        lambda m: _file(m, chunks=[[200_000, "x" * 64]]),
        lambda m: _file(m, chunks=[[200_001, "0" * 64], [-1, "0" * 64]]),
        lambda m: _file(m, chunks=[[0, "0" * 64], *m["files"][0]["chunks"]]),
        lambda m: m["files"][1].update(offset=10),
        lambda m: m["images"][0].update(size=-1),
        lambda m: m["images"][0].update(size=2**70),
        lambda m: m["links"].append({"path": "m", "target": "../../etc"}),
        lambda m: m["links"].append({"path": "a/m", "target": "x"}),
        lambda m: m["links"].append({"path": "B/C", "target": "x"}),
    ],
)
def test_unsafe_or_inconsistent_manifests_are_rejected(edit: Edit) -> None:
    with pytest.raises(BadManifest):
        read_manifest(_version(edit).manifest)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", json.dumps({"format": 1}).encode(), b"[" * 100_000])
def test_data_that_is_not_a_manifest_is_rejected(data: bytes) -> None:
    with pytest.raises(BadManifest):
        read_manifest(data)


def test_chunks_over_one_mebibyte_are_rejected() -> None:
    large = HostileVersion("v1", {"a": b"x" * (2**20 + 1)}, chunk=2**20 + 1)

    with pytest.raises(BadManifest, match="invalid size"):
        read_manifest(large.manifest)
