"""Patches: their content and size, and that applying them restores any newer files."""

from itertools import accumulate
from random import Random

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from content_trees import KIB, installation, noise, read
from playdock.content import patches
from playdock.content.bodies import Span
from playdock.content.chunks import unpack
from playdock.content.file_table import ServedFile
from playdock.content.patches import MAX_OLD_BYTES, MAX_PLAIN_BYTES, Segment, compress, is_worthwhile, plan_patches

Tree = dict[str, bytes]


def plan(old: Tree, new: Tree) -> list[Segment]:
    return list(plan_patches(installation(old), installation(new)))


def frame_of(segment: Segment, old: Tree, new: Tree) -> bytes:
    return compress(read(new, segment.new), read(old, segment.old))


def decompressed(frame: bytes, dictionary: bytes) -> bytes:
    """Return a frame decompressed as by a client."""
    known = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if dictionary else None
    return zstandard.ZstdDecompressor(dict_data=known, max_window_size=2**28).decompress(frame)


def cost(old: Tree, new: Tree) -> int:
    return sum(len(frame_of(segment, old, new)) for segment in plan(old, new))


def edited(data: bytes, *, every: int = 50 * KIB) -> bytes:
    """Return data with four bytes changed at intervals, like a program that was built again."""
    changed = bytearray(data)
    for place in range(0, len(data) - 4, every):
        changed[place : place + 4] = bytes(4)
    return bytes(changed)


def covered(segments: list[Segment], new: Tree) -> set[bytes]:
    """Return the ids of the chunks in segments; fail for a span that ends within a chunk."""
    ids = set()
    by_path = {file.record.path: file.record for file in installation(new).files}
    for span in (span for segment in segments for span in segment.new):
        chunks = list(unpack(by_path[span.file.path].chunks))
        ends = list(accumulate((chunk.length for chunk in chunks), initial=0))
        first, last = ends.index(span.offset), ends.index(span.offset + span.length)
        ids |= {chunk.id for chunk in chunks[first:last]}
    return ids


# --- Content ---


def test_unchanged_files_are_not_included() -> None:
    old = {"same": noise(1), "moved": noise(2), "changed": noise(3)}
    new = {"same": noise(1), "elsewhere": noise(2), "changed": edited(noise(3)), "empty": b""}
    assert {span.file.path for segment in plan(old, new) for span in segment.new} == {"changed"}


def test_chunks_of_other_older_files_are_not_included() -> None:
    data = noise(1, 4096 * KIB)
    new = data[: 2000 * KIB] + b"inserted" + data[2000 * KIB :]
    (segment,) = plan({"pack": data}, {"pack": new})
    assert segment.plain <= 2048 * KIB


def test_a_new_chunk_is_included_once() -> None:
    (segment,) = plan({}, {"a": b"new" * 1000, "b": b"new" * 1000})
    assert [span.file.path for span in segment.new] == ["a"]


def test_many_small_files_share_a_segment() -> None:
    old = {f"{number:03}.js": noise(number, 20 * KIB) for number in range(200)}
    new = {path: edited(data) for path, data in old.items()}
    (segment,) = plan(old, new)
    assert (len(segment.new), len(segment.old)) == (200, 200)


def test_a_large_file_is_split_and_compressed_with_the_surrounding_bytes() -> None:
    old = noise(1, 20 * 1024 * KIB)
    new = edited(old)
    segments = plan({"game": old}, {"game": new})
    assert len(segments) > 2
    assert all(segment.old[0].length < 12 * 1024 * KIB for segment in segments)
    assert cost({"game": old}, {"game": new}) < len(new) // 100


def test_only_the_added_part_of_a_file_is_included() -> None:
    """After the new part, all positions are beyond the interpolated ones."""
    old, grown = noise(1, 12 << 20), noise(2, 4 << 20)
    assert cost({"game": old}, {"game": grown + edited(old)}) < len(grown) + 500 * KIB


def test_slightly_moved_bytes_are_found() -> None:
    """As many bytes were removed at the end as added at the beginning."""
    old, grown = noise(1, 16 << 20), noise(2, 300 * KIB)
    assert cost({"game": old}, {"game": grown + edited(old[: -300 * KIB])}) < len(grown) + 100 * KIB


def test_bytes_moved_within_a_file_are_found_by_chunks() -> None:
    front, back = noise(1, 6 << 20), noise(2, 6 << 20)
    new = back + edited(front, every=1500 * KIB)
    assert cost({"pack": front + back}, {"pack": new}) < len(new) // 20


def test_bytes_following_a_moved_part_are_found_after_it() -> None:
    one, two, three = noise(1, 3 << 20), noise(2, 20 << 20), noise(3, 3 << 20)
    new = two + edited(three) + one
    assert cost({"pack": one + two + three}, {"pack": new}) < 1024 * KIB


def test_recurring_chunks_are_not_used_as_anchors() -> None:
    one, two, empty = noise(1, 4 << 20), noise(2, 4 << 20), bytes(4 << 20)
    new = edited(one) + empty + edited(two) + empty
    assert cost({"pack": one + empty + two + empty}, {"pack": new}) < 200 * KIB


def test_a_renamed_library_is_compressed_with_the_previous_one() -> None:
    old, new = {"lib/a-0c1d77aa.so": noise(1)}, {"lib/a-9fb6e4ba.so": edited(noise(1))}
    assert cost(old, new) < len(noise(1)) // 20


def test_the_sizes_of_segments_are_limited() -> None:
    old = {f"{number}": noise(number, 3 << 20) for number in range(10)} | {"large": noise(11, 40 << 20)}
    new = {path: edited(data) for path, data in old.items()} | {"large": edited(old["large"], every=200 * KIB)[::-1]}
    segments = plan(old, new)
    assert all(segment.plain <= MAX_PLAIN_BYTES for segment in segments)
    assert all(sum(span.length for span in segment.old) <= MAX_OLD_BYTES for segment in segments)


def test_overlapping_older_spans_are_combined() -> None:
    old = noise(1, 8 << 20)
    new = edited(old[: 3500 * KIB]) + old[3500 * KIB : 4500 * KIB] + edited(old[4500 * KIB :])
    (segment,) = plan({"pack": old}, {"pack": new})
    assert (len(segment.new), len(segment.old)) == (2, 1)
    assert segment.old[0].length <= len(old)


# --- Savings ---


@pytest.mark.parametrize(("compressed", "plain"), [(80, 100), (4, 5), (1, 1000)])
def test_a_segment_that_saves_a_fifth_is_worthwhile(compressed: int, plain: int) -> None:
    assert is_worthwhile(compressed, plain)


@pytest.mark.parametrize(("compressed", "plain"), [(81, 100), (5, 6), (1000, 1000)])
def test_a_segment_that_saves_less_is_not_worthwhile(compressed: int, plain: int) -> None:
    assert not is_worthwhile(compressed, plain)


def test_unrelated_files_are_compressed_alone() -> None:
    new = {"readme": b"the same words " * 10_000}
    (segment,) = plan({"other": noise(1)}, new)
    assert segment.old == ()
    assert len(frame_of(segment, {}, new)) < 1000


# --- Properties ---


def trees() -> st.SearchStrategy[tuple[Tree, Tree]]:
    """Return an older tree and one derived from it with unchanged, edited, cut, joined, renamed and new files."""
    return st.integers(0, 2**32).map(_pair)


def _pair(seed: int) -> tuple[Tree, Tree]:
    random = Random(seed)
    old = {f"f{number}-{random.randrange(9)}.bin": _bytes(random) for number in range(random.randrange(6))}
    new: Tree = {}
    for path, data in old.items():
        new[random.choice([path, path, f"moved/{path}", path.replace("-", "-1")])] = _derived(random, data, old)
    new.update((f"new{number}", _bytes(random)) for number in range(random.randrange(3)))
    return old, new


def _bytes(random: Random) -> bytes:
    size = random.choice([0, 1, 1000, 70 * KIB, 300 * KIB, 900 * KIB])
    return random.randbytes(size) if random.random() < 0.7 else bytes(size)


def _derived(random: Random, data: bytes, others: Tree) -> bytes:
    start, end = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
    ways = (
        data,
        edited(data, every=random.randint(1000, 200 * KIB)),
        data[:start] + data[end:],
        data[:start] + random.randbytes(random.randrange(100 * KIB)) + data[start:],
        data[start:] + data[:start],
        data + random.choice(list(others.values())),
    )
    return random.choice(ways)


@settings(max_examples=60, deadline=None)
@given(trees())
def test_applying_patches_to_the_older_files_yields_the_newer_files(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    existing = {chunk.id for file in installation(old).files for chunk in unpack(file.record.chunks)}
    needed = {chunk.id for file in installation(new).files for chunk in unpack(file.record.chunks)}

    segments = plan(old, new)

    assert covered(segments, new) == needed - existing
    for segment in segments:
        assert decompressed(frame_of(segment, old, new), read(old, segment.old)) == read(new, segment.new)


@settings(max_examples=30, deadline=None)
@given(trees(), st.integers(64, 900), st.integers(64, 900))
def test_patches_work_with_any_segment_limits(pair: tuple[Tree, Tree], plain: int, dictionary: int) -> None:
    old, new = pair
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(patches, "MAX_PLAIN_BYTES", plain * KIB)
        patched.setattr(patches, "MAX_OLD_BYTES", dictionary * KIB)
        segments = plan(old, new)
    largest = max((segment.plain for segment in segments if len(segment.new) > 1), default=0)
    assert largest <= plain * KIB
    assert all(sum(span.length for span in segment.old) <= dictionary * KIB for segment in segments)
    for segment in segments:
        assert decompressed(frame_of(segment, old, new), read(old, segment.old)) == read(new, segment.new)


# --- Differences ---


@pytest.mark.parametrize(
    ("offset", "length", "expected"),
    [
        (0, 16 << 20, (0, 32 << 20)),
        (20 << 20, 16 << 20, (12 << 20, 44 << 20)),
        (84 << 20, 16 << 20, (68 << 20, 100 << 20)),
    ],
)
def test_a_difference_has_more_bytes_of_a_large_file(offset: int, length: int, expected: tuple[int, int]) -> None:
    (file,) = installation({"game": noise(1)}).files
    served = ServedFile(0, "game", 100 << 20, 0o644, 0, file.record.crc32, file.record.hash)
    segment = Segment((Span(served, offset, length),), (Span(served, 0, 8 << 20),))
    difference = segment.as_difference()
    assert (difference.old[0].offset, difference.old[0].offset + difference.old[0].length) == expected
    assert (difference.new, difference.is_difference) == (segment.new, True)


def test_a_difference_of_small_files_has_the_bytes_of_its_segment() -> None:
    old = {f"{number}.dll": noise(number, 100 * KIB) for number in range(5)}
    (segment,) = plan(old, {path: edited(data) for path, data in old.items()})
    assert segment.as_difference().old == segment.old
    (alone,) = plan({"game": noise(1)}, {"game": edited(noise(1))})
    assert [(span.offset, span.length) for span in alone.as_difference().old] == [(0, len(noise(1)))]
