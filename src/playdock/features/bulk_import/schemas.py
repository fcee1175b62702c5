"""Request and response bodies of the plan and of import runs."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from playdock.features.bulk_import.rules import PlanSort
from playdock.features.game_import.schemas import MetadataChoice
from playdock.features.version_import.schemas import Arguments, Command, PlatformName
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.fields import Id, MessageCode, MessageParameters, Offset, Timestamp

MAX_ROWS = 500


class PlanQuery(Query):
    """The filter and pagination parameters of the plan."""

    certain: Annotated[bool | UnsetType, Meta(description="Only certain rows, or only doubtful ones.")] = UNSET
    library: Annotated[str | UnsetType, Meta(description="Only rows of the library with this id.")] = UNSET
    q: Annotated[str, Meta(max_length=256, description="Only rows whose folder or title contains this text.")] = ""
    sort: Annotated[PlanSort, Meta(description="The order of rows: the surest first, or by folder.")] = (
        PlanSort.CONFIDENCE
    )
    offset: Offset = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_ROWS, description="How many rows to return, 1 to 500.")] = 100


class PlanComputation(RequestBody):
    """What is computed."""

    fresh: Annotated[
        bool, Meta(description="Compute all rows again instead of only the missing ones.", examples=[False])
    ] = False


class PlanTask(ResponseBody):
    """The task that computes the plan; null if the plan is complete."""

    task_id: Id | None


class RemarkResponse(ResponseBody):
    """A sentence about a row, with its code and parameters if it has any."""

    text: Annotated[str, Meta(examples=["Steam did not respond in time."])]
    code: MessageCode | None
    parameters: MessageParameters


class ClueResponse(ResponseBody):
    """Something on disk that tells which game a folder is: an id at a provider, or a name."""

    kind: Annotated[str, Meta(examples=["ID"])]
    source: Annotated[str, Meta(examples=["Steam"])]
    value: Annotated[str, Meta(examples=["1536610"])]
    detail: Annotated[str, Meta(examples=["steam_appid.txt"])]


class CandidateResponse(ResponseBody):
    """A game that a folder may be: how sure that is, 0 to 1, and why."""

    id: Annotated[str, Meta(examples=["1536610"])]
    source_id: Annotated[str, Meta(examples=["Steam"])]
    source_name: Annotated[str, Meta(examples=["Steam"])]
    name: Annotated[str, Meta(examples=["OpenTTD"])]
    year: Annotated[int, Meta(examples=[2021])]
    icon: Annotated[str, Meta(examples=[""])]
    description: Annotated[str, Meta(examples=["A transport simulation."])]
    confidence: Annotated[float, Meta(examples=[0.9775])]
    reasons: Annotated[list[str], Meta(examples=[["Steam id 1536610", "folder name: OpenTTD", "program: openttd"]])]


class ProposedVersion(ResponseBody):
    """How a version could be imported; ``remark`` says why it cannot as it is.

    ``label`` is the version and the store according to its name, or empty.
    """

    version: Annotated[str, Meta(examples=["openttd-13.0"])]
    label: Annotated[str, Meta(examples=["13.0"])]
    platform: Annotated[str, Meta(examples=["Linux"])]
    only_setup: bool
    launch: Annotated[str, Meta(examples=["usr/games/openttd"])]
    setup: Annotated[str, Meta(examples=[""])]
    setup_args: Annotated[str, Meta(examples=[""])]
    match: Annotated[float, Meta(examples=[0.9409])]
    remark: Annotated[str, Meta(examples=[""])]
    remark_code: MessageCode | None
    remark_parameters: MessageParameters


class GameLink(ResponseBody):
    """A game of the store."""

    id: Id
    name: Annotated[str, Meta(examples=["OpenTTD"])]


class PlanRowResponse(ResponseBody):
    """What is proposed for one unimported folder, and the game that it can be added to as a version, if any.

    That game has the same name, and its folder is in the same library.
    """

    id: Id
    library: Id
    game: Annotated[str, Meta(examples=["OpenTTD"])]
    title: Annotated[str, Meta(examples=["OpenTTD"])]
    certain: Annotated[bool, Meta(examples=[True])]
    confidence: Annotated[float, Meta(examples=[0.9775])]
    clues: list[ClueResponse]
    candidates: list[CandidateResponse]
    versions: list[ProposedVersion]
    remark: Annotated[str, Meta(examples=[""])]
    remarks: Annotated[list[RemarkResponse], Meta(examples=[[]])]
    version_of: GameLink | None
    left_out: Annotated[RemarkResponse | None, Meta(description="Why the rule has not added it to that game.")]
    computed: Timestamp


class PlanResponse(ResponseBody):
    """The rows computed so far, and ``taskId`` while a task computes more.

    Counts are of the requested library and text.
    """

    task_id: str | None
    total: Annotated[int, Meta(examples=[1])]
    certain: Annotated[int, Meta(examples=[1])]
    doubtful: Annotated[int, Meta(examples=[0])]
    rows: list[PlanRowResponse]


class SelectedVersion(RequestBody):
    """A version that is to be imported with its game."""

    version: Annotated[
        str, Meta(min_length=1, max_length=255, description="The version's name on disk.", examples=["13.0"])
    ]
    platform: PlatformName
    only_setup: bool = False
    launch: Annotated[Command, Meta(examples=["usr/games/openttd"])] = ""
    launch_args: Arguments = ""
    setup: Command = ""
    setup_args: Arguments = ""


class SelectedRow(RequestBody):
    """A row that is to be applied: its first candidate and all its versions, unless something else is said."""

    id: Annotated[Id, Meta(description="The row's id.")]
    metadata: MetadataChoice | UnsetType | None = UNSET
    versions: Annotated[list[SelectedVersion], Meta(max_length=100)] | UnsetType = UNSET


class PlanSelection(RequestBody):
    """What of the plan is applied: rows one by one, and all rows that are sure enough."""

    rows: Annotated[list[SelectedRow], Meta(max_length=5000, description="Rows, with what differs from the plan.")] = (
        msgspec.field(default_factory=list)
    )
    at_least: (
        Annotated[float, Meta(ge=0, le=1, description="Also all other rows of at least this confidence.")] | None
    ) = None
    certain: Annotated[bool, Meta(description="Also all other rows that are certain.", examples=[True])] = False


class RunStarted(ResponseBody):
    """A run was started."""

    task_id: Id
    run_id: Id


class RunRowResponse(ResponseBody):
    """What became of one folder: its game, or why there is none, or nothing yet."""

    library: Id
    game: Annotated[str, Meta(examples=["OpenTTD"])]
    game_id: Id | None
    fault: str | None
    fault_code: MessageCode | None
    fault_parameters: MessageParameters
    done: Timestamp | None


class RunResponse(ResponseBody):
    """A run and how far it has come; ``failed`` counts folders with a fault, also where only a version is at fault."""

    id: Id
    task_id: Id | None
    created: Timestamp
    taken_back: str | None
    automatic: Annotated[bool, Meta(description="Whether the rules of a library started it.", examples=[False])]
    total: Annotated[int, Meta(examples=[1])]
    imported: Annotated[int, Meta(examples=[1])]
    failed: Annotated[int, Meta(examples=[0])]
    rows: list[RunRowResponse]


class RunSummary(ResponseBody):
    """A run in a list; ``failed`` counts folders with a fault, also where only a version is at fault."""

    id: Id
    task_id: Id | None
    created: Timestamp
    taken_back: str | None
    automatic: Annotated[bool, Meta(description="Whether the rules of a library started it.", examples=[False])]
    total: Annotated[int, Meta(examples=[1])]
    imported: Annotated[int, Meta(examples=[1])]
    failed: Annotated[int, Meta(examples=[0])]
    folders: Annotated[list[str], Meta(description="The first three folders.", examples=[["SuperTuxKart"]])]
