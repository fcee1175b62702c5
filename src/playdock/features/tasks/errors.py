"""What can be wrong with what is asked of tasks."""

from playdock.kit.errors import Invalid


class GroupNotStartable(Invalid):
    """Only maintenance can be started by its group."""

    def __init__(self, groups: list[str]) -> None:
        super().__init__(f"Only maintenance can be started like this: {', '.join(groups)}.")
