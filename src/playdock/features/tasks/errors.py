"""Errors of requests about tasks."""

from playdock.kit.errors import Invalid


class GroupNotStartable(Invalid):
    """Only maintenance tasks can be started by their group."""

    def __init__(self, groups: list[str]) -> None:
        super().__init__(f"Only maintenance can be started like this: {', '.join(groups)}.")
