"""The messages of failures that end a command."""

from sqlalchemy.exc import SQLAlchemyError

from playdock.cli.opening import cause_of, unusable
from playdock.db.failures import fault_of
from playdock.kit.errors import PlaydockError
from playdock.kit.messages import code_of
from playdock.kit.storage_failures import StorageFailure, retryable_storage_failure


def message_of(error: Exception) -> str | None:
    """Return the message of an error that the user or the system has caused, None for one of the program."""
    if isinstance(error, PlaydockError):
        return error.detail
    if isinstance(error, SQLAlchemyError) and fault_of(error) is not None:
        return unusable(cause_of(error)).detail
    if isinstance(error, StorageFailure):
        return f"{error.reason.rstrip('.')}. {storage_advice(error)}"
    if failure := retryable_storage_failure(error):
        return failure
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror[0].lower()}{error.strerror[1:]}. Run `playdock doctor` for advice."
    return None


def storage_advice(failure: StorageFailure) -> str:
    """Return what to do about a failure whose reason is known."""
    if code_of(failure.message) == "object-storage-failed":
        return "Check that the object storage is running and OBJECTS_ENDPOINT is its address, and try again."
    return failure.message
