"""What JSON columns contain of imports that several nodes do together."""

from playdock.stored import TaskArguments


class ReadPartsArguments(TaskArguments, frozen=True):
    """Arguments of ``read:parts``: the task that imports the version, the game, and the name of the version."""

    task: str
    game: str
    name: str
    beside: bool = False
