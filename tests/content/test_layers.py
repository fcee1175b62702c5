"""Layers: serialization, and merging as if each was extracted over the previous one."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.errors import UnreadableRecord, UnusableVersion
from playdock.content.layers import Installation, decode, encode, merge
from playdock.content.names import parents
from playdock.content.packed_list import MANY, PackedList
from playdock.content.records import FileRecord, Layer, LinkRecord

MARK = b"playdock-layer"

names = st.sampled_from("abc")
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


def file(path: str, *, size: int = 1) -> FileRecord:
    return FileRecord(path, size, 0o644, 5, 7, b"h" * 32, b"c" * 36)


def layer(*paths: str, links: Sequence[str] = (), removed: Sequence[str] = ()) -> Layer:
    return Layer(
        tuple(file(path, size=len(path)) for path in sorted(paths)),
        tuple(LinkRecord(path, "target") for path in sorted(links)),
        tuple(removed),
    )


def packed(layer: Layer) -> bytes:
    return b"".join(encode(layer))


@st.composite
def any_layer(draw: st.DrawFn) -> Layer:
    entries = draw(st.sets(paths, max_size=6))
    leaves = [path for path in entries if not any(path in parents(other) for other in entries)]
    links = [path for path in leaves if draw(st.booleans())]
    return layer(*(set(leaves) - set(links)), links=links, removed=draw(st.lists(paths, max_size=2)))


layers = st.lists(any_layer(), max_size=4)


def naively_merged(layers: Sequence[Layer]) -> dict[str, tuple[int, int | None]]:
    """Merge naively and return the layer and offset (None for a link) of each path."""
    entries: dict[str, tuple[int, int | None]] = {}
    for number, above in enumerate(layers):
        for path in above.removed:
            remove_entry(path, entries=entries, folders=())
        offset = 0
        for record in above.files:
            remove_entry(record.path, entries=entries, folders=parents(record.path))
            entries[record.path] = (number, offset)
            offset += record.size
        for link in above.links:
            remove_entry(link.path, entries=entries, folders=parents(link.path))
            entries[link.path] = (number, None)
    return entries


def remove_entry(path: str, *, entries: dict[str, tuple[int, int | None]], folders: Iterable[str]) -> None:
    for other in list(entries):
        if other == path or other.startswith(path + "/"):
            del entries[other]
    for folder in folders:
        entries.pop(folder, None)


def installed(installation: Installation) -> list[str]:
    return [file.record.path for file in installation.files]


@given(layers)
def test_merging_equals_extracting_one_over_the_other(layers: list[Layer]) -> None:
    expected = naively_merged(layers)
    merged = merge(layers)

    found = {file.record.path: (file.image, file.offset) for file in merged.files}
    assert found == {path: place for path, place in expected.items() if place[1] is not None}
    assert [link.path for link in merged.links] == sorted(path for path, place in expected.items() if place[1] is None)
    assert list(found) == sorted(found)


@given(any_layer())
def test_a_single_layer_is_its_installation(single: Layer) -> None:
    merged = merge([single])

    assert tuple(file.record for file in merged.files) == single.files
    assert (merged.links, merged.images, merged.size) == (single.links, (single.size,), single.size)


@given(any_layer())
def test_a_layer_merged_over_itself_replaces_all_files(single: Layer) -> None:
    twice = merge([single, single])

    assert tuple(file.record for file in twice.files) == single.files
    assert all(file.image == 1 for file in twice.files)


@given(layers, st.integers(0, 4))
def test_an_empty_layer_changes_nothing(layers: list[Layer], place: int) -> None:
    with_empty = merge([*layers[:place], Layer(), *layers[place:]])

    assert installed(with_empty) == installed(merge(layers))


@pytest.mark.parametrize(
    ("base", "delta", "files", "links"),
    [
        (layer("a"), layer(links=["a"]), [], ["a"]),
        (layer(links=["a"]), layer("a"), ["a"], []),
        (layer("a/b", "a/c"), layer("a"), ["a"], []),
        (layer("a/b", "a/c"), layer(links=["a"]), [], ["a"]),
        (layer("a"), layer("a/b"), ["a/b"], []),
        (layer("a/b", "c"), layer(removed=["a"]), ["c"], []),
        (layer("a/b", "c"), layer("a/d", removed=["a"]), ["a/d", "c"], []),
    ],
)
def test_the_newest_entry_wins(base: Layer, delta: Layer, files: list[str], links: list[str]) -> None:
    merged = merge([base, delta])

    assert (installed(merged), [link.path for link in merged.links]) == (files, links)


def test_only_paths_that_do_not_reappear_are_removed() -> None:
    merged = merge([layer("a", "b", "c/d"), layer(removed=["a", "b", "c"]), layer("b", "c/e")])

    assert merged.removed == ("a",)


def test_layers_with_names_that_differ_only_by_case_are_rejected() -> None:
    with pytest.raises(UnusableVersion, match="only by case"):
        merge([layer("Data/x"), layer("data/x")])


def test_links_of_several_layers_cannot_leave_the_version_together() -> None:
    below = Layer(links=(LinkRecord("a/up", ".."),))
    above = Layer(links=(LinkRecord("out", "a/up/../x"),))

    with pytest.raises(UnusableVersion, match="points outside the version"):
        merge([below, above])


@given(layers)
def test_many_files_are_merged_like_few(found: list[Layer]) -> None:
    few = merge(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("playdock.content.layers.MANY", -1)
        many = merge(found)

    assert isinstance(few.files, tuple)
    assert not isinstance(many.files, tuple)
    assert (tuple(many.files), len(many.files), tuple(many.files)) == (few.files, len(few.files), few.files)
    assert (many.links, many.images, many.removed, many.size) == (few.links, few.images, few.removed, few.size)


def test_more_than_100_000_files_are_decoded_into_a_packed_list() -> None:
    many = layer(*(f"{number:06}" for number in range(MANY + 1)))

    found = decode(encode(many))

    assert isinstance(found.files, PackedList)
    assert tuple(found.files) == tuple(many.files)
    assert packed(found) == packed(many)


@given(any_layer())
def test_decoding_restores_a_layer(single: Layer) -> None:
    assert decode(encode(single)) == single
    assert packed(decode(encode(single))) == packed(single)


def test_decoding_restores_a_layer_of_many_pieces() -> None:
    many = layer(*(f"{number:05}" for number in range(2500)), links=["l"], removed=["r"])

    assert decode(encode(many)) == many


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not a stored layer"),
        (b"nonsense", "not a stored layer"),
        (MARK, "supported format 1"),
        (MARK + b"\x02" + packed(layer("a"))[15:], "supported format 1"),
        (packed(layer("a"))[:-3], "damaged"),
        (MARK + b"\x01", "damaged"),
        (MARK + b"\x01nonsense", "damaged"),
    ],
)
def test_invalid_bytes_are_rejected_with_the_reason(data: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableRecord, match=sentence):
        decode([data])
