"""Runs of the import plan on the wire."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from playdock.features.game_import.schemas import MetadataChoice
from playdock.features.version_import.schemas import Arguments, Command, PlatformName
from playdock.kit.bodies import Answer, Body


class ChosenVersion(Body):
    """A version that is to be imported with its game."""

    version: Annotated[str, Meta(min_length=1, max_length=255, description="The version's name on disk.")]
    platform: PlatformName
    only_setup: bool = False
    launch: Command = ""
    launch_args: Arguments = ""
    setup: Command = ""
    setup_args: Arguments = ""


class ChosenRow(Body):
    """A row that is to be applied: its first candidate and all its versions, unless something else is said."""

    id: Annotated[str, Meta(description="The row's id.")]
    metadata: MetadataChoice | UnsetType | None = UNSET
    versions: Annotated[list[ChosenVersion], Meta(max_length=100)] | UnsetType = UNSET


class PlanChoice(Body):
    """What of the plan is applied: rows one by one, and all rows that are sure enough."""

    rows: Annotated[list[ChosenRow], Meta(max_length=5000, description="Rows, with what differs from the plan.")] = (
        msgspec.field(default_factory=list)
    )
    at_least: (
        Annotated[float, Meta(ge=0, le=1, description="Also all other rows of at least this confidence.")] | None
    ) = None
    certain: Annotated[bool, Meta(description="Also all other rows that are certain.")] = False


class RunStarted(Answer):
    """A run was started."""

    task_id: str
    run_id: str


class RunRowAnswer(Answer):
    """What became of one folder: its game, or why there is none, or nothing yet."""

    library: str
    game: str
    game_id: str | None
    fault: str | None
    done: str | None


class RunAnswer(Answer):
    """A run and how far it has come; ``failed`` counts folders with a fault, also where only a version is at fault."""

    id: str
    task_id: str | None
    created: str
    taken_back: str | None
    total: int
    imported: int
    failed: int
    rows: list[RunRowAnswer]


class RunSummary(Answer):
    """A run in a list; ``failed`` counts folders with a fault, also where only a version is at fault."""

    id: str
    task_id: str | None
    created: str
    taken_back: str | None
    total: int
    imported: int
    failed: int
