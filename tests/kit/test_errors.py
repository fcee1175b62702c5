"""The families of errors: statuses, codes and headers."""

import pytest

from playdock.features.accounts.errors import UsernameTaken
from playdock.features.sessions.errors import WrongCredentials
from playdock.kit import errors
from playdock.kit.errors import FieldError, InvalidInput, PlaydockError, TooManyFailures
from playdock.kit.messages import Message


@pytest.mark.parametrize(
    ("family", "status"),
    [
        (errors.Invalid, 400),
        (errors.Unauthenticated, 401),
        (errors.Forbidden, 403),
        (errors.NotFound, 404),
        (errors.Conflict, 409),
        (errors.TooLarge, 413),
        (errors.TooManyFailures, 429),
        (errors.TooManyAtOnce, 429),
        (errors.Unavailable, 503),
    ],
)
def test_the_family_determines_the_status(family: type[PlaydockError], status: int) -> None:
    assert family.status == status


def test_the_error_code_and_title_derive_from_the_class_name() -> None:
    taken = UsernameTaken("Ada")

    assert (taken.code(), taken.title()) == ("username-taken", "Username taken")
    assert taken.detail == "The user name Ada is taken. Choose another."


def test_an_authentication_error_has_a_www_authenticate_header() -> None:
    assert WrongCredentials().headers() == {"WWW-Authenticate": "Bearer"}


def test_a_throttling_error_has_a_retry_after_header() -> None:
    assert TooManyFailures("Wait.", retry_after=7).headers() == {"Retry-After": "7"}


def test_the_detail_of_invalid_input_lists_all_field_errors() -> None:
    refused = InvalidInput([FieldError("name", Message("field-required")), FieldError("", Message("body-not-json"))])

    assert (
        refused.detail
        == "The request is invalid. name: This field is required.; The body must be JSON in UTF-8 without deep nesting."
    )
