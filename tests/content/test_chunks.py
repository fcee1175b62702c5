"""Chunking and hashing, compared with the libraries applied to the complete bytes."""

from random import Random
from zlib import crc32

import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st
from pyfastcdc import FastCDC

from playdock.content.chunks import (
    AVERAGE_CHUNK,
    MAX_CHUNK,
    MIN_CHUNK,
    ChunkerState,
    Digest,
    Digester,
    digest_small,
    unpack,
)

NOISE = Random(1).randbytes(4 * MAX_CHUNK)
ZEROS = bytes(2 * MAX_CHUNK)

# Whether random, the seed, and the length: a compact form, because Hypothesis prints examples.
Range = tuple[bool, int, int]
ranges = st.tuples(st.booleans(), st.integers(0, MAX_CHUNK), st.integers(0, 3 * MAX_CHUNK))
contents = st.lists(ranges, max_size=3)
reads = st.lists(st.integers(8 * 1024 - 1, 512 * 1024), min_size=1, max_size=5)


def concatenated(ranges: list[Range]) -> bytes:
    return b"".join((NOISE if noise else ZEROS)[start : start + length] for noise, start, length in ranges)


def digest(data: bytes, *, reads: list[int], state: ChunkerState | None = None) -> tuple[Digest, list[ChunkerState]]:
    """Digest data from a state in reads of cyclic sizes; return the digest and all progress."""
    digester, progress, turn = Digester(), [], 0
    digester.start(state)
    position = state.offset if state else 0
    while position < len(data):
        count = min(reads[turn % len(reads)], len(digester.buffer), len(data) - position)
        digester.buffer[:count] = data[position : position + count]
        digester.feed(count)
        progress.append(digester.take_progress())
        position, turn = position + count, turn + 1
    return digester.finish(), progress


@settings(deadline=None)
@given(contents, reads)
def test_chunks_cover_the_file_in_order(content: list[Range], reads: list[int]) -> None:
    data = concatenated(content)
    found, start = digest(data, reads=reads)[0], 0

    for chunk in unpack(found.chunks):
        assert blake3(data[start : start + chunk.length]).digest() == chunk.id
        start += chunk.length

    assert (start, found.crc32) == (len(data), crc32(data))


@settings(deadline=None)
@given(contents, reads)
def test_boundaries_match_fastcdc_regardless_of_read_sizes(content: list[Range], reads: list[int]) -> None:
    data = concatenated(content)
    cutter = FastCDC(AVERAGE_CHUNK, min_size=MIN_CHUNK, max_size=MAX_CHUNK)

    lengths = [chunk.length for chunk in unpack(digest(data, reads=reads)[0].chunks)]

    assert lengths == [piece.length for piece in cutter.cut_buf(data)]
    assert all(MIN_CHUNK <= length <= MAX_CHUNK for length in lengths[:-1])


@settings(deadline=None)
@given(contents, reads, st.data())
def test_a_resumed_file_has_the_same_digest(content: list[Range], reads: list[int], draw: st.DataObject) -> None:
    data = concatenated(content)
    whole, progress = digest(data, reads=reads)
    parts = progress[: draw.draw(st.integers(0, len(progress)))]
    state = (
        ChunkerState(parts[-1].offset, parts[-1].crc32, b"".join(state.chunks for state in parts))
        if parts
        else ChunkerState()
    )

    rest, more = digest(data, reads=reads, state=state)

    assert rest == whole
    assert whole.chunks.startswith(state.chunks + b"".join(state.chunks for state in more))


@settings(deadline=None)
@given(contents)
def test_the_hash_is_the_only_chunk_id_or_the_hash_of_all_ids(content: list[Range]) -> None:
    data = concatenated(content)
    found = digest(data, reads=[MAX_CHUNK])[0]
    ids = [chunk.id for chunk in unpack(found.chunks)]

    assert found.hash == (ids[0] if len(ids) == 1 else blake3(b"".join(ids)).digest())


@pytest.mark.parametrize("size", [0, 1, 4096, MIN_CHUNK - 1, MIN_CHUNK])
def test_small_files_have_the_same_digest_as_with_a_digester(size: int) -> None:
    assert digest_small(NOISE[:size]) == digest(NOISE[:size], reads=[1000])[0]


def test_an_empty_file_has_no_chunks() -> None:
    assert digest_small(b"") == Digest(0, blake3().digest(), b"")


def test_a_file_that_may_be_split_is_not_small() -> None:
    with pytest.raises(ValueError, match="Digester"):
        digest_small(NOISE[: MIN_CHUNK + 1])


def test_one_digester_digests_several_files() -> None:
    digester = Digester()
    for data in (NOISE[:300_000], NOISE[5:100_000]):
        digester.start()
        digester.buffer[: len(data)] = data
        digester.feed(len(data))

        assert digester.finish() == digest(data, reads=[70_000])[0]


def test_a_packed_chunk_has_36_bytes() -> None:
    assert len(digest(NOISE, reads=[MAX_CHUNK])[0].chunks) % 36 == 0
