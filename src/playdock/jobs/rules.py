"""Pure decisions about tasks: which faults pass, how long to wait, what to tell people."""

from dataclasses import dataclass
from datetime import timedelta

from playdock.db.faults import is_away
from playdock.jobs.errors import PassingFault, TaskFailed
from playdock.kit.errors import PlaydockError, Unavailable
from playdock.kit.faults import passing_fault

MOST_RETRIES = 5
MOST_CRASHES = 5

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
    if fault := passing_fault(error):
        return Verdict(passes=True, title="Storage fault", detail=fault)
    return Verdict(
        passes=False,
        title="Unexpected fault",
        detail=f"Something went wrong that should not have ({type(error).__name__}). The server's log has the details; "
        "please report it, then start the task again.",
    )


def pause_before_retry(retries: int) -> timedelta:
    """Give the pause before the next try: 2, 8, 32, 128, 512 seconds."""
    return timedelta(seconds=2 * 4**retries)
