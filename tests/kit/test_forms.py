"""Forms with files: parsed in pieces of any size, within limits, with all errors named."""

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.kit.errors import FieldError, InvalidInput, TooLarge
from playdock.kit.forms import Files, Form, FormLimits, FormReader

BOUNDARY = "frontier"
KIND = f"multipart/form-data; boundary={BOUNDARY}"


class Parcel(Form):
    """A form."""

    limits: ClassVar[FormLimits] = FormLimits(files=2, file_bytes=100, bytes=150)

    to: str
    files: Files
    note: str = ""


def text(name: str, content: bytes) -> bytes:
    return b'Content-Disposition: form-data; name="%b"\r\n\r\n%b' % (name.encode(), content)


def file(name: str, content: bytes, *, field: str = "files") -> bytes:
    head = f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: image/png\r\n\r\n'
    return head.encode() + content


def body(*parts: bytes) -> bytes:
    return b"".join(b"--%b\r\n%b\r\n" % (BOUNDARY.encode(), part) for part in parts) + b"--frontier--\r\n"


def read(raw: bytes, *, kind: str = KIND, step: int = 1000) -> Parcel:
    reader = FormReader(Parcel, kind)
    for start in range(0, len(raw), step):
        reader.feed(raw[start : start + step])
    return reader.decoded()


def errors_of(raw: bytes, *, kind: str = KIND) -> list[FieldError]:
    with pytest.raises(InvalidInput) as refused:
        read(raw, kind=kind)
    return list(refused.value.field_errors)


@given(step=st.integers(1, 60), content=st.binary(max_size=90).filter(lambda data: BOUNDARY.encode() not in data))
def test_a_form_is_parsed_the_same_in_pieces_of_any_size(step: int, content: bytes) -> None:
    form = read(body(text("to", "Zoë".encode()), file("a.png", content)), step=step)
    assert (form.to, form.note, [(each.name, each.data) for each in form.files]) == ("Zoë", "", [("a.png", content)])


def test_a_part_with_a_file_name_is_a_file_whatever_its_field_name() -> None:
    form = read(body(file("one", b"1", field="one"), text("to", b"a"), file("two", b"2", field="to")))
    assert [each.name for each in form.files] == ["one", "two"]


def test_all_invalid_fields_are_reported() -> None:
    assert [fault.field for fault in errors_of(body(text("too", b"a")))] == ["to", "files", "too"]


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ([text("to", b"a"), text("to", b"b"), file("x", b"")], "to"),
        ([text("to", b"\xff"), file("x", b"")], "to"),
        ([text("to", b"\0"), file("x", b"")], "to"),
        ([text("to", b"a"), text("files", b"content")], "files"),
        ([text("to", b"a" * 70_000), file("x", b"")], "to"),
    ],
    ids=["twice", "not UTF-8", "a null character", "a file without a name", "too long"],
)
def test_an_unreadable_field_is_reported_by_name(parts: list[bytes], field: str) -> None:
    assert [fault.field for fault in errors_of(body(*parts))] == [field]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"", KIND),
        (b"{}", "application/json"),
        (b"{}", ""),
        (b"--frontier--\r\n", "multipart/form-data"),
        (b"--frontier--\r\n", 'multipart/form-data; boundary=""'),
        (b"--frontier--\r\n", "multipart/form-data; boundary=\ud800"),
        (body(text("to", b"a"))[:-10], KIND),
        (b"--frontier\r\nNonsense\r\n\r\n\r\n--frontier--\r\n", KIND),
        (body(*[text(f"field{number}", b"") for number in range(50)]), KIND),
    ],
    ids=[
        "nothing",
        "JSON",
        "no kind",
        "no boundary",
        "an empty one",
        "no text",
        "cut off",
        "a bad head",
        "many fields",
    ],
)
def test_an_invalid_form_is_rejected_as_a_whole(raw: bytes, kind: str) -> None:
    assert [fault.field for fault in errors_of(raw, kind=kind)] == [""]


@pytest.mark.parametrize("sizes", [[101], [80, 80], [1, 1, 1]], ids=["a large file", "large together", "many files"])
def test_a_form_beyond_its_limits_is_rejected_as_too_large(sizes: list[int]) -> None:
    raw = body(*[file("x", bytes(size)) for size in sizes])
    with pytest.raises(TooLarge, match="At most 2 files can be sent at once"):
        read(raw, step=10)


def test_a_form_at_its_limits_is_read() -> None:
    form = read(body(text("to", b"a"), file("x", bytes(100)), file("y", bytes(50))))
    assert [len(each.data) for each in form.files] == [100, 50]


def test_a_form_that_is_too_large_is_rejected_before_it_is_complete() -> None:
    reader = FormReader(Parcel, KIND)
    with pytest.raises(TooLarge):
        reader.feed(b"--frontier\r\n" + file("x", bytes(200)))
