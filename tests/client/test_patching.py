"""Patches: used where they spare something, never trusted."""

import random
import struct
from dataclasses import replace
from typing import Any

import pytest
import zstandard

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion

OLD = random.Random(1).randbytes(2_000_000)
# Every block of 64 KiB has changed, so that no chunk is left as it was.
_BLOCKS = (OLD[place : place + 65_536] for place in range(0, 2_000_000, 65_536))
NEW = b"".join(block[:10_000] + b"changed" + block[10_007:] for block in _BLOCKS)


def _patched(hostile: HostileServer, **changes: Any) -> None:
    old, new = HostileVersion("v1", {"game": OLD}), HostileVersion("v2", {"game": NEW, "small": b"small"})
    hostile.serve(old, new)
    prefix = zstandard.ZstdCompressionDict(OLD, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    settings = zstandard.ZstdCompressionParameters.from_level(
        3, window_log=23, hash_log=21, chain_log=21, force_max_window=True
    )
    frame = zstandard.ZstdCompressor(compression_params=settings, dict_data=prefix).compress(NEW)
    segment = {
        "offset": 0,
        "length": len(frame),
        "plain": len(NEW),
        "old": [["game", 0, len(OLD)]],
        "new": [["game", 0, len(NEW)]],
        **changes,
    }
    found = {"id": "set", "from": "v1", "to": "v2", "fromEtag": old.etag, "toEtag": new.etag, "size": len(frame)}
    hostile.patches[("v1", "v2")] = ({**found, "segments": [segment]}, frame)


def _serve_difference(hostile: HostileServer, difference: bytes, **changes: Any) -> None:
    """Serve a difference, as of a program, instead of a segment with a dictionary."""
    _patched(hostile)
    found, _ = hostile.patches[("v1", "v2")]
    frame = zstandard.compress(difference)
    segment = {**found["segments"][0], "length": len(frame), **changes}
    hostile.patches[("v1", "v2")] = ({**found, "size": len(frame), "segments": [], "differences": [segment]}, frame)


def _update(hostile: HostileServer, player: Player) -> int:
    player.install("v1")
    outcome = player.update("v2")
    assert player.files() == hostile.versions["v2"].files
    return outcome.fetched


def test_a_patch_is_used_if_it_is_smaller(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)

    assert _update(hostile, player) < 200_000


def test_a_patch_can_use_a_file_that_stays_as_it_is(hostile: HostileServer, player: Player) -> None:
    _patched(hostile, new=[["next", 0, len(NEW)]])
    hostile.serve(HostileVersion("v2", {"game": OLD, "next": NEW}))
    hostile.patches[("v1", "v2")][0]["toEtag"] = hostile.versions["v2"].etag

    assert _update(hostile, player) < 200_000


@pytest.mark.parametrize(
    "changes",
    [
        {"old": [["game", 0, len(OLD) - 1]]},
        {"old": []},
        {"old": [["../../secret", 0, 10]]},
        {"old": [["game", 5, 2**40]]},
        {"plain": len(NEW) - 1},
        {"plain": 2**40},
        {"new": [["game", 1, len(NEW) - 1]]},
        {"new": [["game", -65536, len(NEW)]]},
        {"new": [["other", 0, len(NEW)]]},
        {"length": 2**40},
        {"offset": -1},
        {"length": 3},
    ],
)
def test_an_invalid_patch_is_replaced_by_a_download(
    hostile: HostileServer, player: Player, changes: dict[str, Any]
) -> None:
    _patched(hostile, **changes)

    assert _update(hostile, player) > 1_900_000


def test_a_patch_for_other_bytes_is_replaced_by_a_download(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    hostile.patches[("v1", "v2")][0]["fromEtag"] = "another"

    assert _update(hostile, player) > 1_900_000


def test_a_decompression_bomb_in_a_patch_is_rejected(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    found, _ = hostile.patches[("v1", "v2")]
    bomb = zstandard.compress(bytes(500_000_000))
    found["segments"][0].update(length=len(bomb))
    hostile.patches[("v1", "v2")] = ({**found, "size": len(bomb)}, bomb)

    assert _update(hostile, player) > 1_900_000


def test_a_file_that_the_player_changed_is_not_patched(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    player.install("v1")
    player.put("game", OLD[:-1] + b"x")
    outcome = player.update("v2")

    assert outcome.fetched > 1_900_000
    assert player.files() == {**hostile.versions["v2"].files, "game.yours": OLD[:-1] + b"x"}


def test_patches_survive_connection_failures(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    player.install("v1")
    cuts = iter([10_000, 0, 20_000])
    hostile.cut = lambda: next(cuts, None)

    assert player.update("v2").fetched < 300_000
    assert player.files() == hostile.versions["v2"].files


def test_no_patch_is_requested_for_a_reimported_version(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    player.install("v1")
    hostile.serve(replace(hostile.versions["v2"], id="v1"))
    player.update("v1")

    assert not [each for each in hostile.requests if "patches" in each]


@pytest.mark.parametrize("call", ["/patches?", "/patches/"])
@pytest.mark.parametrize("status", [403, 404, 429])
def test_deleted_patches_are_replaced_by_a_download(
    hostile: HostileServer, player: Player, call: str, status: int
) -> None:
    _patched(hostile)
    player.install("v1")
    hostile.refuse = lambda path: status if call in path else None

    outcome = player.update("v2")

    assert outcome.fetched > 1_900_000
    assert player.files() == hostile.versions["v2"].files


def test_patches_are_requested_again_if_the_server_is_busy(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    player.install("v1")
    hostile.refusals = [(429, {"Retry-After": "0"}), (503, {"Retry-After": "0"})]

    assert player.update("v2").fetched < 200_000


def test_bytes_patched_from_old_files_count_as_reused(hostile: HostileServer, player: Player) -> None:
    _patched(hostile)
    player.install("v1")
    outcome = player.update("v2")

    assert outcome.reused == len(NEW) + len(b"small") - hostile.patches[("v1", "v2")][0]["size"] - len(b"small")


def _difference() -> bytes:
    """Return the difference from the old bytes to the new ones with two copies."""
    half = len(OLD) // 2
    columns = struct.pack("<I6i", 2, 0, 0, half, len(OLD) - half, 0, 0)
    blocks = ((OLD[start : start + 16_384], NEW[start : start + 16_384]) for start in range(0, len(OLD), 16_384))
    return columns + b"".join(_subtracted(old, new) for old, new in blocks)


def _subtracted(old: bytes, new: bytes) -> bytes:
    left = int.from_bytes(new, "little") - int.from_bytes(old, "little")
    return (left % (1 << 8 * len(new))).to_bytes(len(new), "little")


def test_a_difference_is_used_if_it_is_smaller(hostile: HostileServer, player: Player) -> None:
    _serve_difference(hostile, _difference())

    assert _update(hostile, player) < 200_000


@pytest.mark.parametrize(
    ("difference", "changes"),
    [
        (b"", {}),
        (_difference()[:-1], {}),
        (struct.pack("<I3i", 1, 0, len(OLD) + 1, 0) + bytes(len(NEW)), {}),
        (struct.pack("<I", 0) + bytes(len(NEW)), {}),
        (_difference(), {"old": []}),
        (_difference(), {"old": [["../../secret", 0, 10]]}),
        (_difference(), {"plain": 2**40}),
    ],
    ids=["empty", "cut", "beyond", "wrong", "without old bytes", "outside", "huge"],
)
def test_an_invalid_difference_is_replaced_by_a_download(
    hostile: HostileServer, player: Player, difference: bytes, changes: dict[str, Any]
) -> None:
    _serve_difference(hostile, difference, **changes)

    assert _update(hostile, player) > 1_900_000


def test_a_decompression_bomb_in_a_difference_is_rejected(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    _serve_difference(hostile, bytes(50_000_000))
    applied: list[bytes] = []
    monkeypatch.setattr("playdock_client.patching.apply_difference", lambda data, *_, **__: applied.append(data))

    assert _update(hostile, player) > 1_900_000
    assert applied == []
