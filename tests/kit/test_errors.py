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


def test_the_class_name_is_the_code_and_the_message_a_sentence() -> None:
    taken = UsernameTaken("Ada")

    assert (taken.code(), taken.title()) == ("username-taken", "Username taken")
    assert taken.detail == "The user name Ada is taken. Choose another."


def test_nobody_known_is_told_how_to_show_who_they_are() -> None:
    assert WrongCredentials().headers() == {"WWW-Authenticate": "Bearer"}


def test_too_many_failures_say_how_long_to_wait() -> None:
    assert TooManyFailures("Wait.", retry_after=7).headers() == {"Retry-After": "7"}


def test_invalid_input_says_every_fault_in_its_sentence() -> None:
    refused = InvalidInput([FieldError("name", Message("field-required")), FieldError("", Message("body-not-json"))])

    assert (
        refused.detail
        == "The request is invalid. name: This field is required.; The body must be JSON in UTF-8 without deep nesting."
    )
