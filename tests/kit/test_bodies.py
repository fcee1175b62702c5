"""Bodies and queries: decoded by a schema, with every fault named at once."""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from playdock.features.invitations.schemas import InvitationDraft, SignUpDraft
from playdock.features.tokens.schemas import TokenDraft
from playdock.kit.bodies import Body, Query, decode, read_query
from playdock.kit.errors import Fault, InvalidInput

CAR = {"engine": {"name": "V"}, "wheelCount": 4}
GOOD = {"invitation": "i", "password": "p" * 14, "username": "ada", "email": "ada@example.org"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


class Engine(Body):
    """Something inside something."""

    name: str
    cylinders: int = 4


class Colour(Enum):
    """One of a few words."""

    RED = "red"
    BLUE = "blue"


class Paint(Body):
    """Something that stands in lists."""

    colour: Colour
    coats: Annotated[int, Meta(ge=1, description="How often.")] = 1
    code: Annotated[str, Meta(pattern="^[0-9]+$", description="A code has digits only.")] = "0"


class Car(Body):
    """Something with fields of several kinds."""

    engine: Engine
    wheel_count: int
    spares: list[str] = msgspec.field(default_factory=list)
    paints: Annotated[tuple[Paint, ...], Meta(max_length=20)] | None = None


class Counted(Body):
    """Something that counts how often it is made."""

    made: ClassVar[list[str]] = []

    name: str

    def __post_init__(self) -> None:
        self.made.append(self.name)


class Page(Query):
    """A query."""

    number: str


def faults_of(body: Any, schema: type[Body]) -> Sequence[Fault]:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    with pytest.raises(InvalidInput) as refused:
        decode(raw, schema)
    return refused.value.faults


def fields_of(body: Any, schema: type[Body]) -> list[str]:
    return [fault.field for fault in faults_of(body, schema)]


def test_names_are_written_in_camel_case() -> None:
    car = decode(b'{"engine": {"name": "V"}, "wheelCount": 3}', Car)

    assert (car.engine.name, car.engine.cylinders, car.wheel_count) == ("V", 4, 3)


def test_a_good_body_is_made_once() -> None:
    decode(b'{"name": "once"}', Counted)

    assert Counted.made.count("once") == 1


def test_every_fault_is_named_at_once_by_its_path() -> None:
    wrong = {"engine": {"cylinders": "four", "turbo": True}, "wheelCount": "x", "spares": [1], "colour": "red"}

    assert sorted(fields_of(wrong, Car)) == [
        "colour",
        "engine.cylinders",
        "engine.name",
        "engine.turbo",
        "spares[0]",
        "wheelCount",
    ]


def test_faults_in_lists_are_named_by_their_places() -> None:
    good, wrong = {"colour": "red"}, {"coats": 1, "code": "x", "gloss": True}

    assert sorted(fields_of({**CAR, "paints": [good, wrong]}, Car)) == [
        "paints[1].code",
        "paints[1].colour",
        "paints[1].gloss",
    ]


def test_a_long_list_of_faults_is_cut() -> None:
    assert fields_of({**CAR, "spares": [1] * 1000}, Car) == [f"spares[{index}]" for index in range(10)]


def test_a_list_that_is_too_long_is_itself_at_fault() -> None:
    (fault,) = faults_of({**CAR, "paints": [{"colour": "red"}] * 21}, Car)

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
def test_a_fault_is_told_in_words(paint: Any, sentence: str) -> None:
    (fault,) = faults_of({**CAR, "paints": [paint]}, Car)

    assert fault.detail == sentence


def test_the_sentence_names_every_fault() -> None:
    with pytest.raises(InvalidInput, match=r"wheelCount: This field is required\.; colour: This field is unknown"):
        decode(b'{"engine": {"name": "V"}, "colour": "red"}', Car)


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b'{"engine": "\xc3\x28"}', b'{"engine": "\\ud800"}', b"NaN", b"{} {}", b"[" * 100_000],
    ids=["empty", "cut off", "no UTF-8", "no UTF-8 inside", "lone surrogate", "no JSON", "two bodies", "deep"],
)
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    (fault,) = faults_of(raw, Car)

    assert fault.field == ""
    assert "JSON in UTF-8" in fault.detail


@pytest.mark.parametrize("body", [None, [], "text", 1, True])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    assert fields_of(body, Car) == [""]


def test_no_depth_of_nesting_gets_through() -> None:
    for depth in range(700, 1100):
        lists = b'{"engine": ' + b"[" * depth + b"]" * depth + b"}"
        assert faults_of(lists, Car)
        assert faults_of(b'{"a": ' * depth + b"1" + b"}" * depth, Car)


def test_u0000_is_named_beside_other_faults() -> None:
    assert fields_of({"engine": {"name": "a\0b"}, "wheelCount": "x"}, Car) == ["engine.name", "wheelCount"]


def test_u0000_is_refused_wherever_it_is() -> None:
    body = {"engine": {"name": "a\0b"}, "wheelCount": 4, "spares": ["", "\0"]}

    assert fields_of(body, Car) == ["engine.name", "spares[1]"]


@pytest.mark.parametrize("username", ["ab", "a" * 33, "a b", "a_b", "a%b", "ädä", "ada\n", "", "\uff41\uff44\uff41"])
def test_a_user_name_has_3_to_32_letters_and_digits(username: str) -> None:
    (fault,) = faults_of({**GOOD, "username": username}, SignUpDraft)

    assert (fault.field, fault.detail) == ("username", "A user name has 3 to 32 letters and digits.")


@pytest.mark.parametrize("username", ["abc", "A" * 32, "007"])
def test_a_good_user_name_is_taken(username: str) -> None:
    assert decode(msgspec.json.encode({**GOOD, "username": username}), SignUpDraft).username == username


@pytest.mark.parametrize(
    "email", ["", "x", "x@y", "@y.z", "x@.z", "x@y.", "x@y..z", "x y@y.z", "x@y@z.w", "x@y.z\n", "a" * 251 + "@y.z"]
)
def test_an_email_address_has_the_form_x_at_y_dot_z(email: str) -> None:
    (fault,) = faults_of({**GOOD, "email": email}, SignUpDraft)

    assert (fault.field, fault.detail) == ("email", "An e-mail address has the form x@y.z.")


@pytest.mark.parametrize("email", ["x@y.z", "a.b+c@mail.example.org", "ü@ü.ü"])
def test_a_good_email_address_is_taken(email: str) -> None:
    assert decode(msgspec.json.encode({**GOOD, "email": email}), SignUpDraft).email == email


@pytest.mark.parametrize("password", ["", "p" * 13, "p" * 1025])
def test_a_password_is_neither_short_nor_endless(password: str) -> None:
    (fault,) = faults_of({**GOOD, "password": password}, SignUpDraft)

    assert (fault.field, fault.detail.partition(" has ")[2]) == (
        "password",
        "at least 14 characters and at most 1,024 bytes.",
    )


def test_a_password_counts_characters_not_bytes_at_its_lower_end() -> None:
    assert fields_of({**GOOD, "password": "🎮" * 13}, SignUpDraft) == ["password"]
    assert decode(msgspec.json.encode({**GOOD, "password": "🎮" * 14}), SignUpDraft)


def test_a_display_name_has_at_most_128_characters() -> None:
    assert decode(msgspec.json.encode({**GOOD, "displayName": "🎮" * 128}), SignUpDraft)
    assert fields_of({**GOOD, "displayName": "x" * 129}, SignUpDraft) == ["displayName"]


@pytest.mark.parametrize("expires", ["", "tomorrow", "2026-13-01T00:00:00Z", "2026-11-20", 1_800_000_000, True, None])
def test_what_is_no_moment_is_refused(expires: Any) -> None:
    assert fields_of({"expires": expires}, InvitationDraft) == ["expires"]


def test_a_moment_may_have_any_zone_or_none() -> None:
    for written in ("2026-11-20T05:38:00Z", "2026-11-20T05:38:00+02:00", "2026-11-20T05:38:00.123"):
        assert isinstance(decode(msgspec.json.encode({"expires": written}), InvitationDraft).expires, datetime)


def test_of_many_choices_the_wrong_one_is_named() -> None:
    (fault,) = faults_of({"name": "n", "acls": ["user:everything"]}, TokenDraft)

    assert (fault.field, fault.detail) == ("acls[0]", "Invalid enum value 'user:everything'.")


def test_a_right_that_does_not_exist_is_refused() -> None:
    for acl in ("import:game:read", "user:everything", "", 3):
        assert fields_of({"name": "n", "acls": [acl]}, TokenDraft) == ["acls[0]"]


def test_a_query_leaves_unknown_parameters_alone_and_names_missing_ones() -> None:
    assert read_query({"number": "1", "utm": "x"}, Page).number == "1"
    with pytest.raises(InvalidInput, match="number: This field is required"):
        read_query({}, Page)
    with pytest.raises(InvalidInput, match=r"U\+0000"):
        read_query({"number": "\0"}, Page)


@given(json_values)
def test_any_json_is_decoded_or_refused(value: Any) -> None:
    for schema in (Car, SignUpDraft, InvitationDraft, TokenDraft):
        _decoded_or_refused(msgspec.json.encode(value), schema)


@given(st.dictionaries(st.sampled_from(["engine", "wheelCount", "spares", "colour"]), json_values))
def test_an_object_is_decoded_or_refused_with_a_field(value: Any) -> None:
    _decoded_or_refused(msgspec.json.encode(value), Car)


@given(st.binary())
def test_any_bytes_are_decoded_or_refused(raw: bytes) -> None:
    _decoded_or_refused(raw, Car)


def _decoded_or_refused(raw: bytes, schema: type[Body]) -> None:
    try:
        decode(raw, schema)
    except InvalidInput as failure:
        refused = failure
    else:
        return
    assert refused.faults
    assert all(fault.detail.endswith(".") for fault in refused.faults)
