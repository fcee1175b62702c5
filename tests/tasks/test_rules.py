"""What a failure of a step means for its task."""

import errno
import os
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from playdock.kit.errors import Conflict, Unavailable
from playdock.kit.messages import Message
from playdock.tasks.errors import RetryableFailure, TaskFailed
from playdock.tasks.rules import MAX_RETRIES, classify_failure, delay_before_retry


@pytest.mark.parametrize(
    "number",
    [
        errno.EIO,
        errno.ENOSPC,
        errno.EROFS,
        errno.EDQUOT,
        errno.ESTALE,
        errno.ENOTCONN,
        errno.ETIMEDOUT,
        errno.EMFILE,
        errno.ENOMEM,
    ],
)
def test_storage_and_system_errors_are_retryable(number: int) -> None:
    action = classify_failure(OSError(number, os.strerror(number), "/srv/secret/place"))
    assert action.retryable
    assert action.detail.endswith(".")
    assert "/srv" not in action.detail


@pytest.mark.parametrize(
    "error", [ValueError("/srv/secret"), KeyError("x"), OSError(errno.EACCES, "denied", "/srv/secret"), Exception()]
)
def test_program_errors_are_not_retryable_and_reveal_no_secrets(error: Exception) -> None:
    action = classify_failure(error)
    assert (action.retryable, action.title) == (False, "Unexpected fault")
    assert type(error).__name__ in action.detail
    assert "secret" not in action.detail


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (TaskFailed("Title", Message.worded("detail", "Detail.")), False),
        (RetryableFailure("Title", Message.worded("detail", "Detail.")), True),
        (Conflict("Detail."), False),
        (Unavailable("Detail."), True),
    ],
)
def test_errors_raised_by_a_step_keep_their_message(error: Exception, retryable: bool) -> None:  # noqa: FBT001 - a table's column
    action = classify_failure(error)
    assert (action.retryable, action.detail) == (retryable, "Detail.")


_CAUSE = psycopg.Error("server closed the connection unexpectedly")


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (OperationalError("SELECT 1", {}, _CAUSE), True),
        (InterfaceError("SELECT 1", {}, _CAUSE), True),
        (PoolExhausted("QueuePool limit reached"), True),
        (DBAPIError("SELECT 1", {}, _CAUSE, connection_invalidated=True), True),
        (DBAPIError("SELECT 1", {}, _CAUSE), False),
        (ProgrammingError("SELECT 1", {}, _CAUSE), False),
    ],
    ids=["operational", "interface", "pool exhausted", "disconnected", "of no kind", "of the program"],
)
def test_an_unavailable_database_is_retryable(error: Exception, retryable: bool) -> None:  # noqa: FBT001 - a table's column
    action = classify_failure(error)
    assert (action.retryable, action.title == "Database fault") == (retryable, retryable)


def test_retry_delays_increase() -> None:
    pauses = [delay_before_retry(retries) for retries in range(MAX_RETRIES)]
    assert pauses == [timedelta(seconds=seconds) for seconds in (2, 8, 32, 128, 512)]
