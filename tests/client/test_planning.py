"""Which requests fetch what is missing."""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from client.lying_server import HostileVersion
from playdock_client.manifest import Chunk, Manifest, read_manifest
from playdock_client.planning import MAX_PIECE_BYTES, Piece, plan_pieces, plan_round

MEBIBYTE = 2**20


def _manifest(sizes: list[int], *, chunk: int = 4096) -> Manifest:
    seeded = random.Random(1)
    return read_manifest(
        HostileVersion(
            "v1", {f"f{number:05}": seeded.randbytes(size) for number, size in enumerate(sizes)}, chunk=chunk
        ).manifest
    )


@given(
    sizes=st.lists(st.integers(0, 300_000), max_size=20),
    connections=st.integers(1, 8),
    wanted=st.randoms(use_true_random=False),
)
def test_pieces_contain_each_requested_chunk_once_and_end_at_chunk_boundaries(
    sizes: list[int], connections: int, wanted: random.Random
) -> None:
    manifest = _manifest(sizes, chunk=50_000)
    chunks = [chunk for chunk in manifest.chunks if wanted.random() < 0.5]
    pieces = plan_pieces(chunks, images=["v1"], connections=connections)

    assert [chunk.number for piece in pieces for chunk in piece.chunks] == [chunk.number for chunk in chunks]
    assert all((piece.start, piece.end) == (piece.chunks[0].image_offset, piece.chunks[-1].end) for piece in pieces)
    assert all(sum(piece.batches(), ()) == piece.chunks for piece in pieces)
    assert all(one.end <= other.start for one, other in pairwise(pieces))


def test_neighboring_chunks_and_small_gaps_are_fetched_together() -> None:
    manifest = _manifest([4096] * 200)

    assert len(plan_pieces(manifest.chunks[::2], images=["v1"], connections=4)) == 1


def test_large_gaps_are_not_fetched() -> None:
    manifest = _manifest([4096, 200_000, 4096])
    chunks = [manifest.chunks[0], manifest.chunks[-1]]

    assert [(piece.start, piece.end) for piece in plan_pieces(chunks, images=["v1"], connections=4)] == [
        (0, 4096),
        (204_096, 208_192),
    ]


def test_pieces_start_small_grow_and_end_small() -> None:
    sizes = [piece.end - piece.start for piece in _pieces(2000)]

    assert sizes[0] <= MEBIBYTE
    assert max(sizes) > 16 * MEBIBYTE
    assert sizes[-1] <= MEBIBYTE
    assert max(sizes) <= MAX_PIECE_BYTES
    assert len(sizes) < 100


def _pieces(mebibytes: int) -> list[Piece]:
    file = read_manifest(HostileVersion("v1", {"a": b"a" * 10}).manifest).files[0]
    chunks = [Chunk(number, file, number * MEBIBYTE, MEBIBYTE, str(number)) for number in range(mebibytes)]
    return list(plan_pieces(chunks, images=["v1"], connections=4))


def test_a_chunk_needed_twice_is_fetched_once() -> None:
    chunks = read_manifest(HostileVersion("v1", {"a": b"same", "b": b"same", "c": b"other"}).manifest).chunks
    planned = plan_round(chunks, source=lambda _: None)

    assert [chunk.file.path for chunk in planned.fetch] == ["a", "c"]
