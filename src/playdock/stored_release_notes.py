"""What JSON columns contain about release notes from providers; see `stored.py`."""

from playdock.stored import TaskArguments


class FetchReleaseNotesArguments(TaskArguments, frozen=True):
    """Arguments of ``fetch:release-notes``: the id of the version."""

    version: str
