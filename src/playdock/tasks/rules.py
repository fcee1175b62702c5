"""Pure decisions about failed tasks: whether to retry, after which delay, and what users see."""

from datetime import timedelta

from msgspec import Struct

from playdock.db.failures import unavailability
from playdock.kit.errors import PlaydockError, Unavailable
from playdock.kit.messages import Message
from playdock.kit.storage_failures import retryable_storage_failure
from playdock.tasks.errors import RetryableFailure, TaskFailed

# With the delays below, a task is retried for eleven minutes: longer than a restart of a file server or database.
MAX_RETRIES = 5
# A task that ends its process at the same point again and again would otherwise keep the service from running.
MAX_CRASHES = 5


class FailureAction(Struct, frozen=True):
    """Whether a failed task is retried, and the title and detail that users see."""

    retryable: bool
    title: str
    detail: Message


def classify_failure(error: Exception) -> FailureAction:
    """Decide what an exception in a task handler means for the task."""
    if isinstance(error, TaskFailed | RetryableFailure):
        return FailureAction(isinstance(error, RetryableFailure), error.title, error.detail)
    if isinstance(error, PlaydockError):
        return FailureAction(isinstance(error, Unavailable), error.title(), error.message())
    if unavailable := unavailability(error):
        return FailureAction(retryable=True, title="Database fault", detail=unavailable.message())
    if fault := retryable_storage_failure(error):
        return FailureAction(retryable=True, title="Storage fault", detail=fault)
    return FailureAction(
        retryable=False,
        title="Unexpected fault",
        detail=Message("unexpected-fault", error=type(error).__name__),
    )


def delay_before_retry(retries: int) -> timedelta:
    """Return the delay before the next retry: 2, 8, 32, 128, 512 seconds."""
    return timedelta(seconds=2 * 4**retries)
