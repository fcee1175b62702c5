"""Forms of OAuth endpoints, and the codes of their errors."""

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.kit.oauth import MEDIA_TYPE, InvalidRequest, OAuthName, UrlForm, read_url_form

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)


class Order(UrlForm):
    """A form."""

    dish: str
    note: str = ""


class TooLate(OAuthName):
    """An error."""


def read(raw: bytes, *, kind: str = MEDIA_TYPE) -> Order:
    return read_url_form(raw, kind, Order)


def errors_of(raw: bytes, *, kind: str = MEDIA_TYPE) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        read(raw, kind=kind)
    return [fault.field for fault in refused.value.field_errors]


@given(texts, texts)
def test_an_encoded_form_is_decoded_to_the_same_values(dish: str, note: str) -> None:
    form = read(urlencode({"dish": dish, "note": note}).encode(), kind=f"{MEDIA_TYPE.upper()}; charset=utf-8")
    assert (form.dish, form.note) == (dish, note)


def test_unknown_fields_are_ignored_and_empty_ones_count_as_missing() -> None:
    assert read(b"dish=soup&note=&drink=wine&drink=beer").note == ""
    assert errors_of(b"dish=&drink=wine") == ["dish"]


@pytest.mark.parametrize(
    ("raw", "field"), [(b"dish=soup&dish=fish", "dish"), (b"note=hot", "dish"), (b"dish=%00", "dish"), (b"", "dish")]
)
def test_invalid_fields_are_reported_by_name(raw: bytes, field: str) -> None:
    assert errors_of(raw) == [field]


@pytest.mark.parametrize("raw", [b"dish=%ff", b"\xff=soup", b"a=1&" * 200])
def test_an_invalid_form_is_rejected(raw: bytes) -> None:
    assert errors_of(raw) == [""]


@pytest.mark.parametrize("kind", ["", "application/json", "multipart/form-data; boundary=x"])
def test_another_content_type_is_rejected(kind: str) -> None:
    assert errors_of(b"dish=soup", kind=kind) == [""]


def test_error_codes_follow_oauth_naming() -> None:
    assert (InvalidRequest.code(), TooLate.code()) == ("invalid_request", "too_late")
