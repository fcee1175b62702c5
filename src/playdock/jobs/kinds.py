"""Kinds of tasks: what each is called and how it runs."""

from collections.abc import Iterable
from typing import Protocol

from playdock.jobs.work import Work


class TaskKind(Protocol):
    """One kind of task. ``run`` may be called again after an interruption and goes on from what it has committed."""

    @property
    def group(self) -> str:
        """Give the name of the kind on the wire, such as ``import:version``."""

    def run(self, work: Work) -> None:
        """Do the work.

        Raises:
            TaskFailed: it cannot succeed.
            PassingFault: it may succeed later.
        """


class Kinds:
    """All kinds of tasks by their group."""

    def __init__(self, kinds: Iterable[TaskKind]) -> None:
        self._kinds = {kind.group: kind for kind in kinds}

    def __getitem__(self, group: str) -> TaskKind:
        return self._kinds[group]

    def __contains__(self, group: object) -> bool:
        return group in self._kinds
