"""The statuses that a person can give a game."""

from enum import StrEnum


class PlayStatus(StrEnum):
    """What a person does with a game."""

    PLANNED = "planned"
    PLAYING = "playing"
    PAUSED = "paused"
    FINISHED = "finished"
    COMPLETED = "completed"
    ABANDONED = "abandoned"
