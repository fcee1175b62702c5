"""Pure decisions about tasks: which faults pass, how long to wait, what to tell people."""

import errno
from dataclasses import dataclass
from datetime import timedelta

from playdock.db.faults import is_away
from playdock.jobs.errors import PassingFault, TaskFailed
from playdock.kit.errors import PlaydockError, Unavailable

MOST_RETRIES = 5
MOST_CRASHES = 5

_PASSING = {
    errno.EIO: "The storage reported a read or write error. Check the disk or the network share.",
    errno.ENOSPC: "The disk is full. Free some space.",
    errno.EDQUOT: "The disk quota is used up. Free some space.",
    errno.ESTALE: "The network share lost the file. Check that it is mounted.",
    errno.ENOTCONN: "The network share is not connected. Check that it is mounted.",
    errno.EHOSTDOWN: "The network share's host does not answer.",
    errno.ETIMEDOUT: "The storage did not answer in time.",
    errno.EMFILE: "The service has too many files open. Raise its limit of open files.",
    errno.ENFILE: "The system has too many files open.",
    errno.ENOMEM: "The machine is out of memory.",
}
_DATABASE = "The database cannot be reached or written. Check that it runs and that its disk has space."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a failure means: whether it may pass, and what to tell."""

    passes: bool
    title: str
    detail: str


def judge(error: Exception) -> Verdict:
    """Decide what a step's exception means for its task."""
    if isinstance(error, TaskFailed | PassingFault):
        return Verdict(isinstance(error, PassingFault), error.title, error.detail)
    if isinstance(error, PlaydockError):
        return Verdict(isinstance(error, Unavailable), error.title(), error.detail)
    if is_away(error):
        return Verdict(passes=True, title="Database fault", detail=_DATABASE)
    if isinstance(error, OSError) and error.errno in _PASSING:
        return Verdict(passes=True, title="Storage fault", detail=_PASSING[error.errno])
    return Verdict(
        passes=False,
        title="Unexpected fault",
        detail=f"Something went wrong that should not have ({type(error).__name__}). The server's log has the details; "
        "please report it, then start the task again.",
    )


def pause_before_retry(retries: int) -> timedelta:
    """Give the pause before the next try: 2, 8, 32, 128, 512 seconds."""
    return timedelta(seconds=2 * 4**retries)
