"""Layers: kept as bytes, and merged as a file system would be written over."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.errors import UnreadableRecord, UnusableVersion
from playdock.content.layers import Installation, decode, encode, merge
from playdock.content.names import parents
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


@st.composite
def any_layer(draw: st.DrawFn) -> Layer:
    there = draw(st.sets(paths, max_size=6))
    leaves = [path for path in there if not any(path in parents(other) for other in there)]
    links = [path for path in leaves if draw(st.booleans())]
    return layer(*(set(leaves) - set(links)), links=links, removed=draw(st.lists(paths, max_size=2)))


layers = st.lists(any_layer(), max_size=4)


def written_over(layers: Sequence[Layer]) -> dict[str, tuple[int, int | None]]:
    """Do it naively: path to layer and offset, None for a link."""
    there: dict[str, tuple[int, int | None]] = {}
    for number, above in enumerate(layers):
        for path in above.removed:
            clear(path, there=there, folders=())
        offset = 0
        for record in above.files:
            clear(record.path, there=there, folders=parents(record.path))
            there[record.path] = (number, offset)
            offset += record.size
        for link in above.links:
            clear(link.path, there=there, folders=parents(link.path))
            there[link.path] = (number, None)
    return there


def clear(path: str, *, there: dict[str, tuple[int, int | None]], folders: Iterable[str]) -> None:
    for other in list(there):
        if other == path or other.startswith(path + "/"):
            del there[other]
    for folder in folders:
        there.pop(folder, None)


def installed(installation: Installation) -> list[str]:
    return [file.record.path for file in installation.files]


@given(layers)
def test_merging_is_writing_over(layers: list[Layer]) -> None:
    expected = written_over(layers)
    merged = merge(layers)

    found = {file.record.path: (file.image, file.offset) for file in merged.files}
    assert found == {path: place for path, place in expected.items() if place[1] is not None}
    assert [link.path for link in merged.links] == sorted(path for path, place in expected.items() if place[1] is None)
    assert list(found) == sorted(found)


@given(any_layer())
def test_one_layer_is_its_own_installation(only: Layer) -> None:
    merged = merge([only])

    assert tuple(file.record for file in merged.files) == only.files
    assert (merged.links, merged.images, merged.size) == (only.links, (only.size,), only.size)


@given(any_layer())
def test_a_layer_on_itself_hides_itself(only: Layer) -> None:
    twice = merge([only, only])

    assert tuple(file.record for file in twice.files) == only.files
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
def test_the_newest_wins_whatever_it_is(base: Layer, delta: Layer, files: list[str], links: list[str]) -> None:
    merged = merge([base, delta])

    assert (installed(merged), [link.path for link in merged.links]) == (files, links)


def test_only_what_stayed_away_is_removed() -> None:
    merged = merge([layer("a", "b", "c/d"), layer(removed=["a", "b", "c"]), layer("b", "c/e")])

    assert merged.removed == ("a",)


def test_layers_that_differ_by_case_do_not_go_together() -> None:
    with pytest.raises(UnusableVersion, match="only by case"):
        merge([layer("Data/x"), layer("data/x")])


def test_a_link_of_one_layer_does_not_lead_out_through_that_of_another() -> None:
    below = Layer(links=(LinkRecord("a/up", ".."),))
    above = Layer(links=(LinkRecord("out", "a/up/../x"),))

    with pytest.raises(UnusableVersion, match="leaves the version"):
        merge([below, above])


@given(any_layer())
def test_a_layer_comes_back_as_it_was(only: Layer) -> None:
    assert decode(encode(only)) == only
    assert encode(decode(encode(only))) == encode(only)


def test_a_layer_of_many_pieces_comes_back() -> None:
    many = layer(*(f"{number:05}" for number in range(2500)), links=["l"], removed=["r"])

    assert decode(encode(many)) == many


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not the bytes of a layer"),
        (b"nonsense", "not the bytes of a layer"),
        (MARK, "not of format 1"),
        (MARK + b"\x02" + encode(layer("a"))[15:], "not of format 1"),
        (encode(layer("a"))[:-3], "damaged"),
        (MARK + b"\x01", "damaged"),
        (MARK + b"\x01nonsense", "damaged"),
    ],
)
def test_what_is_no_layer_is_told(data: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableRecord, match=sentence):
        decode(data)
