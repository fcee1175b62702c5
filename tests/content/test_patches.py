"""Patches: what they hold, how much they save, and that they give the newer bytes whatever the files are."""

from itertools import accumulate
from random import Random

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from content_trees import KIB, installation, noise, read
from playdock.content import patches
from playdock.content.chunks import unpack
from playdock.content.patches import MOST_OLD, MOST_PLAIN, Segment, compress, plan_patches, saves

Tree = dict[str, bytes]


def plan(old: Tree, new: Tree) -> list[Segment]:
    return list(plan_patches(installation(old), installation(new)))


def frame_of(segment: Segment, old: Tree, new: Tree) -> bytes:
    return compress(read(new, segment.new), read(old, segment.old))


def unpacked(frame: bytes, before: bytes) -> bytes:
    """What a client does with a frame."""
    known = zstandard.ZstdCompressionDict(before, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if before else None
    return zstandard.ZstdDecompressor(dict_data=known, max_window_size=2**28).decompress(frame)


def cost(old: Tree, new: Tree) -> int:
    return sum(len(frame_of(segment, old, new)) for segment in plan(old, new))


def edited(data: bytes, *, every: int = 50 * KIB) -> bytes:
    """The same with four bytes changed here and there, as a program that was built again."""
    changed = bytearray(data)
    for place in range(0, len(data) - 4, every):
        changed[place : place + 4] = bytes(4)
    return bytes(changed)


def covered(segments: list[Segment], new: Tree) -> set[bytes]:
    """The ids of the chunks that segments hold whole; a span that ends within a chunk fails."""
    found = set()
    by_path = {file.record.path: file.record for file in installation(new).files}
    for span in (span for segment in segments for span in segment.new):
        chunks = list(unpack(by_path[span.file.path].chunks))
        ends = list(accumulate((chunk.length for chunk in chunks), initial=0))
        first, last = ends.index(span.offset), ends.index(span.offset + span.length)
        found |= {chunk.id for chunk in chunks[first:last]}
    return found


# --- What is in them ---


def test_what_did_not_change_is_not_in_them() -> None:
    old = {"same": noise(1), "moved": noise(2), "changed": noise(3)}
    new = {"same": noise(1), "elsewhere": noise(2), "changed": edited(noise(3)), "empty": b""}
    assert {span.file.path for segment in plan(old, new) for span in segment.new} == {"changed"}


def test_what_is_there_already_among_other_bytes_is_not_in_them() -> None:
    data = noise(1, 4096 * KIB)
    new = data[: 2000 * KIB] + b"inserted" + data[2000 * KIB :]
    (segment,) = plan({"pack": data}, {"pack": new})
    assert segment.plain <= 2048 * KIB


def test_what_is_new_twice_is_in_them_once() -> None:
    (segment,) = plan({}, {"a": b"new" * 1000, "b": b"new" * 1000})
    assert [span.file.path for span in segment.new] == ["a"]


def test_many_small_files_share_a_segment() -> None:
    old = {f"{number:03}.js": noise(number, 20 * KIB) for number in range(200)}
    new = {path: edited(data) for path, data in old.items()}
    (segment,) = plan(old, new)
    assert (len(segment.new), len(segment.old)) == (200, 200)


def test_a_large_file_is_cut_and_each_part_has_what_lay_around_it() -> None:
    old = noise(1, 20 * 1024 * KIB)
    new = edited(old)
    segments = plan({"game": old}, {"game": new})
    assert len(segments) > 2
    assert all(segment.old[0].length < 12 * 1024 * KIB for segment in segments)
    assert cost({"game": old}, {"game": new}) < len(new) // 100


def test_what_a_file_grew_by_is_all_that_it_costs() -> None:
    """Behind the new part everything lies further on than in proportion."""
    old, grown = noise(1, 12 << 20), noise(2, 4 << 20)
    assert cost({"game": old}, {"game": grown + edited(old)}) < len(grown) + 500 * KIB


def test_what_moved_a_little_is_found() -> None:
    """As much was taken away at the end as came in front."""
    old, grown = noise(1, 16 << 20), noise(2, 300 * KIB)
    assert cost({"game": old}, {"game": grown + edited(old[: -300 * KIB])}) < len(grown) + 100 * KIB


def test_what_was_moved_within_a_file_is_found_by_its_chunks() -> None:
    front, back = noise(1, 6 << 20), noise(2, 6 << 20)
    new = back + edited(front, every=1500 * KIB)
    assert cost({"pack": front + back}, {"pack": new}) < len(new) // 20


def test_what_follows_a_part_that_was_moved_is_looked_for_behind_that() -> None:
    one, two, three = noise(1, 3 << 20), noise(2, 20 << 20), noise(3, 3 << 20)
    new = two + edited(three) + one
    assert cost({"pack": one + two + three}, {"pack": new}) < 1024 * KIB


def test_chunks_that_recur_tell_nothing_of_places() -> None:
    one, two, empty = noise(1, 4 << 20), noise(2, 4 << 20), bytes(4 << 20)
    new = edited(one) + empty + edited(two) + empty
    assert cost({"pack": one + empty + two + empty}, {"pack": new}) < 200 * KIB


def test_a_renamed_library_is_compressed_after_the_one_before() -> None:
    old, new = {"lib/a-0c1d77aa.so": noise(1)}, {"lib/a-9fb6e4ba.so": edited(noise(1))}
    assert cost(old, new) < len(noise(1)) // 20


def test_the_sizes_of_segments_are_bounded() -> None:
    old = {f"{number}": noise(number, 3 << 20) for number in range(10)} | {"large": noise(11, 40 << 20)}
    new = {path: edited(data) for path, data in old.items()} | {"large": edited(old["large"], every=200 * KIB)[::-1]}
    segments = plan(old, new)
    assert all(segment.plain <= MOST_PLAIN for segment in segments)
    assert all(sum(span.length for span in segment.old) <= MOST_OLD for segment in segments)


def test_older_spans_that_overlap_are_one() -> None:
    old = noise(1, 8 << 20)
    new = edited(old[: 3500 * KIB]) + old[3500 * KIB : 4500 * KIB] + edited(old[4500 * KIB :])
    (segment,) = plan({"pack": old}, {"pack": new})
    assert (len(segment.new), len(segment.old)) == (2, 1)
    assert segment.old[0].length <= len(old)


# --- What they are worth ---


@pytest.mark.parametrize(("packed", "plain"), [(80, 100), (4, 5), (1, 1000)])
def test_what_saves_a_fifth_is_worth_it(packed: int, plain: int) -> None:
    assert saves(packed, plain)


@pytest.mark.parametrize(("packed", "plain"), [(81, 100), (5, 6), (1000, 1000)])
def test_what_saves_less_is_not(packed: int, plain: int) -> None:
    assert not saves(packed, plain)


def test_files_that_have_nothing_to_do_with_each_other_are_compressed_on_their_own() -> None:
    new = {"readme": b"the same words " * 10_000}
    (segment,) = plan({"other": noise(1)}, new)
    assert segment.old == ()
    assert len(frame_of(segment, {}, new)) < 1000


# --- Properties ---


def trees() -> st.SearchStrategy[tuple[Tree, Tree]]:
    """An older tree, and one that was made of it: files taken over, edited, cut, joined, renamed and new."""
    return st.integers(0, 2**32).map(_pair)


def _pair(seed: int) -> tuple[Tree, Tree]:
    random = Random(seed)
    old = {f"f{number}-{random.randrange(9)}.bin": _bytes(random) for number in range(random.randrange(6))}
    new: Tree = {}
    for path, data in old.items():
        new[random.choice([path, path, f"moved/{path}", path.replace("-", "-1")])] = _remade(random, data, old)
    new.update((f"new{number}", _bytes(random)) for number in range(random.randrange(3)))
    return old, new


def _bytes(random: Random) -> bytes:
    size = random.choice([0, 1, 1000, 70 * KIB, 300 * KIB, 900 * KIB])
    return random.randbytes(size) if random.random() < 0.7 else bytes(size)


def _remade(random: Random, data: bytes, others: Tree) -> bytes:
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
def test_patches_and_what_is_there_give_the_newer_files(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    have = {chunk.id for file in installation(old).files for chunk in unpack(file.record.chunks)}
    wanted = {chunk.id for file in installation(new).files for chunk in unpack(file.record.chunks)}

    segments = plan(old, new)

    assert covered(segments, new) == wanted - have
    for segment in segments:
        assert unpacked(frame_of(segment, old, new), read(old, segment.old)) == read(new, segment.new)


@settings(max_examples=30, deadline=None)
@given(trees(), st.integers(64, 900), st.integers(64, 900))
def test_they_do_whatever_the_bounds_are(pair: tuple[Tree, Tree], plain: int, before: int) -> None:
    old, new = pair
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(patches, "MOST_PLAIN", plain * KIB)
        patched.setattr(patches, "MOST_OLD", before * KIB)
        segments = plan(old, new)
    largest = max((segment.plain for segment in segments if len(segment.new) > 1), default=0)
    assert largest <= plain * KIB
    assert all(sum(span.length for span in segment.old) <= before * KIB for segment in segments)
    for segment in segments:
        assert unpacked(frame_of(segment, old, new), read(old, segment.old)) == read(new, segment.new)
