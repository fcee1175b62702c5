"""Bodies and queries: decoding by a schema, with all errors named at once."""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from playdock.features.invitations.schemas import InvitationCreate, SignUpRequest
from playdock.features.tokens.schemas import TokenCreate
from playdock.kit.bodies import Query, RequestBody, decode, read_query
from playdock.kit.errors import FieldError, InvalidInput

CAR = {"engine": {"name": "V"}, "wheelCount": 4}
GOOD = {"invitation": "i", "password": "p" * 14, "username": "ada", "email": "ada@example.org"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


class Engine(RequestBody):
    """A nested body."""

    name: str
    cylinders: int = 4


class Color(Enum):
    """An enum."""

    RED = "red"
    BLUE = "blue"


class Paint(RequestBody):
    """An item of lists."""

    colour: Color
    coats: Annotated[int, Meta(ge=1, description="How often.")] = 1
    code: Annotated[str, Meta(pattern="^[0-9]+$", description="A code has digits only.")] = "0"


class Car(RequestBody):
    """A body with fields of several types."""

    engine: Engine
    wheel_count: int
    spares: list[str] = msgspec.field(default_factory=list)
    paints: Annotated[tuple[Paint, ...], Meta(max_length=20)] | None = None


class Counted(RequestBody):
    """A body that counts its instances."""

    made: ClassVar[list[str]] = []

    name: str

    def __post_init__(self) -> None:
        self.made.append(self.name)


class Page(Query):
    """Query parameters."""

    number: str


def errors_of(body: Any, schema: type[RequestBody]) -> Sequence[FieldError]:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    with pytest.raises(InvalidInput) as refused:
        decode(raw, schema)
    return refused.value.field_errors


def fields_of(body: Any, schema: type[RequestBody]) -> list[str]:
    return [fault.field for fault in errors_of(body, schema)]


def test_names_are_written_in_camel_case() -> None:
    car = decode(b'{"engine": {"name": "V"}, "wheelCount": 3}', Car)

    assert (car.engine.name, car.engine.cylinders, car.wheel_count) == ("V", 4, 3)


def test_a_valid_body_is_converted_once() -> None:
    decode(b'{"name": "once"}', Counted)

    assert Counted.made.count("once") == 1


def test_errors_have_codes_and_fields_may_have_their_own_message() -> None:
    signup = {fault.field: fault.detail for fault in errors_of({**GOOD, "username": "?", "email": ""}, SignUpRequest)}
    [paint] = errors_of({**CAR, "paints": [{"colour": "red", "code": "x"}]}, Car)

    assert {field: detail.code for field, detail in signup.items()} == {
        "username": "rule-username",
        "email": "rule-email",
    }
    assert (paint.detail, paint.detail.code) == ("A code has digits only.", "field-described")


def test_a_text_that_is_too_long_is_not_described() -> None:
    class Note(RequestBody):
        text: Annotated[str, Meta(max_length=3, description="A note.")]
        other: Annotated[str, Meta(max_length=3, pattern="^a*$", description="Letters a.")] | None = None

    faults = errors_of({"text": "1234", "other": "b"}, Note)
    assert [(fault.field, fault.detail.code) for fault in faults] == [
        ("text", "field-too-long"),
        ("other", "field-described"),
    ]


def test_all_errors_are_reported_with_their_paths() -> None:
    wrong = {"engine": {"cylinders": "four", "turbo": True}, "wheelCount": "x", "spares": [1], "colour": "red"}

    assert sorted(fields_of(wrong, Car)) == [
        "colour",
        "engine.cylinders",
        "engine.name",
        "engine.turbo",
        "spares[0]",
        "wheelCount",
    ]


def test_errors_in_lists_are_reported_with_their_index() -> None:
    good, wrong = {"colour": "red"}, {"coats": 1, "code": "x", "gloss": True}

    assert sorted(fields_of({**CAR, "paints": [good, wrong]}, Car)) == [
        "paints[1].code",
        "paints[1].colour",
        "paints[1].gloss",
    ]


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ({**CAR, "spares": [1] * 100}, 80),
        ({**CAR, "spares": ["\0"] * 100}, 80),
        ({**CAR, **{f"unknown{number}": 1 for number in range(100)}}, 80),
        ({**CAR, "spares": [1] * 20}, 0),
        ({**CAR, "spares": [1] * 90_000}, 980),
    ],
)
def test_20_errors_are_listed_and_up_to_1000_are_counted(body: Any, more: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode(msgspec.json.encode(body), Car)
    assert (len(refused.value.field_errors), refused.value.more_errors) == (20, more)
    assert ("more errors are not listed" in refused.value.detail) == bool(more)


def test_long_names_and_values_are_not_repeated() -> None:
    for body in ({**CAR, "x" * 100_000: 1}, {**CAR, "x" * 100_000: "\0"}, {"name": "n", "acls": ["x" * 100_000]}):
        with pytest.raises(InvalidInput) as refused:
            decode(msgspec.json.encode(body), TokenCreate if "acls" in body else Car)
        assert len(refused.value.detail) < 2000


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 33,
        b'{"a":' * 33,
        b"[" * 100_000,
        b"[" + b"1," * 100_000,
        b"[" + b"{}," * 50_000,
        b'{"a":[' + b'"\\"",' * 100_000,
        b'["' + b"," * 200_000 + b'"' + b",1" * 100_000,
    ],
    ids=["lists", "objects", "deep lists", "values", "empty objects", "quotation marks", "after a string"],
)
def test_json_with_too_many_values_or_levels_is_rejected_before_it_is_decoded(raw: bytes) -> None:
    (fault,) = errors_of(raw, Car)
    assert (fault.field, fault.detail.code) == ("", "body-too-complex")


@pytest.mark.parametrize(
    "text", ["," * 200_000, "[" * 200_000, '"[{' * 100_000, "\\" * 200_000 + "[" * 40, "\n[" * 50, 'a\\"[' * 50]
)
def test_what_is_in_a_string_does_not_count(text: str) -> None:
    body = msgspec.json.encode({"engine": {"name": text}, "wheelCount": 4})
    assert decode(body, Car).engine.name == text


def test_a_string_without_an_end_is_read_once() -> None:
    """Reading it again from each quotation mark would take hours."""
    (fault,) = errors_of(b'{"a": "' + b'\\"' * 5_000_000, Car)
    assert fault.detail.code == "body-not-json"


def test_a_list_that_is_too_long_is_one_error() -> None:
    (fault,) = errors_of({**CAR, "paints": [{"colour": "red"}] * 21}, Car)

    assert (fault.field, fault.detail) == ("paints", "Expected a list of length <= 20.")


@pytest.mark.parametrize(
    ("paint", "sentence"),
    [
        ({"colour": "green"}, "Expected one of red, blue."),
        ({"colour": "red", "coats": 0}, "Expected a whole number >= 1."),
        ({"colour": "red", "coats": "two"}, "Expected a whole number, got text."),
        ({"colour": "red", "coats": None}, "Expected a whole number, got nothing."),
        ({"colour": "red", "code": "x"}, "A code has digits only."),
        ({"colour": "red", "code": 7}, "Expected text, got a whole number."),
        (7, "Expected an object, got a whole number."),
    ],
)
def test_errors_are_described_in_words(paint: Any, sentence: str) -> None:
    (fault,) = errors_of({**CAR, "paints": [paint]}, Car)

    assert fault.detail == sentence


def test_the_message_names_all_errors() -> None:
    with pytest.raises(InvalidInput, match=r"wheelCount: This field is required\.; colour: This field is unknown"):
        decode(b'{"engine": {"name": "V"}, "colour": "red"}', Car)


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b'{"engine": "\xc3\x28"}', b'{"engine": "\\ud800"}', b"NaN", b"{} {}"],
    ids=["empty", "cut off", "no UTF-8", "no UTF-8 inside", "lone surrogate", "no JSON", "two bodies"],
)
def test_invalid_json_is_rejected(raw: bytes) -> None:
    (fault,) = errors_of(raw, Car)

    assert fault.field == ""
    assert "JSON in UTF-8" in fault.detail


@pytest.mark.parametrize("body", [None, [], "text", 1, True])
def test_a_body_that_is_not_an_object_is_rejected(body: Any) -> None:
    assert fields_of(body, Car) == [""]


def test_deep_nesting_is_rejected() -> None:
    for depth in range(700, 1100):
        lists = b'{"engine": ' + b"[" * depth + b"]" * depth + b"}"
        assert errors_of(lists, Car)
        assert errors_of(b'{"a": ' * depth + b"1" + b"}" * depth, Car)


def test_u0000_is_reported_with_other_errors() -> None:
    assert fields_of({"engine": {"name": "a\0b"}, "wheelCount": "x"}, Car) == ["engine.name", "wheelCount"]


def test_u0000_is_rejected_everywhere() -> None:
    body = {"engine": {"name": "a\0b"}, "wheelCount": 4, "spares": ["", "\0"]}

    assert fields_of(body, Car) == ["engine.name", "spares[1]"]


@pytest.mark.parametrize("username", ["ab", "a" * 33, "a b", "a_b", "a%b", "ädä", "ada\n", "", "\uff41\uff44\uff41"])
def test_a_user_name_has_3_to_32_letters_and_digits(username: str) -> None:
    (fault,) = errors_of({**GOOD, "username": username}, SignUpRequest)

    assert (fault.field, fault.detail) == ("username", "A user name has 3 to 32 letters or digits.")


@pytest.mark.parametrize("username", ["abc", "A" * 32, "007"])
def test_a_valid_user_name_is_accepted(username: str) -> None:
    assert decode(msgspec.json.encode({**GOOD, "username": username}), SignUpRequest).username == username


@pytest.mark.parametrize(
    "email", ["", "x", "x@y", "@y.z", "x@.z", "x@y.", "x@y..z", "x y@y.z", "x@y@z.w", "x@y.z\n", "a" * 251 + "@y.z"]
)
def test_an_email_address_has_the_form_x_at_y_dot_z(email: str) -> None:
    (fault,) = errors_of({**GOOD, "email": email}, SignUpRequest)

    assert (fault.field, fault.detail) == ("email", "An email address has the form x@y.z.")


@pytest.mark.parametrize("email", ["x@y.z", "a.b+c@mail.example.org", "ü@ü.ü"])
def test_a_valid_email_address_is_accepted(email: str) -> None:
    assert decode(msgspec.json.encode({**GOOD, "email": email}), SignUpRequest).email == email


@pytest.mark.parametrize("password", ["", "p" * 13, "p" * 1025])
def test_a_password_has_a_minimum_and_a_maximum_length(password: str) -> None:
    (fault,) = errors_of({**GOOD, "password": password}, SignUpRequest)

    assert (fault.field, fault.detail.partition(" has ")[2]) == (
        "password",
        "at least 14 characters and at most 1,024 bytes.",
    )


def test_the_minimum_length_of_a_password_is_in_characters() -> None:
    assert fields_of({**GOOD, "password": "🎮" * 13}, SignUpRequest) == ["password"]
    assert decode(msgspec.json.encode({**GOOD, "password": "🎮" * 14}), SignUpRequest)


def test_a_display_name_has_at_most_128_characters() -> None:
    assert decode(msgspec.json.encode({**GOOD, "displayName": "🎮" * 128}), SignUpRequest)
    assert fields_of({**GOOD, "displayName": "x" * 129}, SignUpRequest) == ["displayName"]


@pytest.mark.parametrize("expires", ["", "tomorrow", "2026-13-01T00:00:00Z", "2026-11-20", 1_800_000_000, True, None])
def test_an_invalid_time_is_rejected(expires: Any) -> None:
    assert fields_of({"expires": expires}, InvitationCreate) == ["expires"]


def test_a_time_can_have_any_zone_or_none() -> None:
    for written in ("2026-11-20T05:38:00Z", "2026-11-20T05:38:00+02:00", "2026-11-20T05:38:00.123"):
        assert isinstance(decode(msgspec.json.encode({"expires": written}), InvitationCreate).expires, datetime)


def test_an_invalid_item_in_a_list_is_reported_with_its_index() -> None:
    (fault,) = errors_of({"name": "n", "acls": ["user:everything"]}, TokenCreate)

    assert (fault.field, fault.detail) == ("acls[0]", "Invalid enum value 'user:everything'.")


def test_an_unknown_permission_is_rejected() -> None:
    for acl in ("import:game:read", "user:everything", "", 3):
        assert fields_of({"name": "n", "acls": [acl]}, TokenCreate) == ["acls[0]"]


def test_a_query_ignores_unknown_parameters_and_reports_missing_ones() -> None:
    assert read_query({"number": "1", "utm": "x"}, Page).number == "1"
    with pytest.raises(InvalidInput, match="number: This field is required"):
        read_query({}, Page)
    with pytest.raises(InvalidInput, match=r"U\+0000"):
        read_query({"number": "\0"}, Page)


@given(json_values)
def test_any_json_is_decoded_or_rejected(value: Any) -> None:
    for schema in (Car, SignUpRequest, InvitationCreate, TokenCreate):
        _decoded_or_refused(msgspec.json.encode(value), schema)


@given(st.dictionaries(st.sampled_from(["engine", "wheelCount", "spares", "colour"]), json_values))
def test_any_object_is_decoded_or_rejected_with_a_field(value: Any) -> None:
    _decoded_or_refused(msgspec.json.encode(value), Car)


@given(st.binary())
def test_any_bytes_are_decoded_or_rejected(raw: bytes) -> None:
    _decoded_or_refused(raw, Car)


def _decoded_or_refused(raw: bytes, schema: type[RequestBody]) -> None:
    try:
        decode(raw, schema)
    except InvalidInput as failure:
        refused = failure
    else:
        return
    assert refused.field_errors
    assert all(fault.detail.endswith(".") for fault in refused.field_errors)
