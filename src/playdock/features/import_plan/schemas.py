"""Plans of imports on the wire."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.kit.bodies import Answer, Query

MOST_ROWS = 500


class PlanQuery(Query):
    """Which rows of the plan are wanted."""

    certain: Annotated[bool | UnsetType, Meta(description="Only certain rows, or only doubtful ones.")] = UNSET
    library: Annotated[str | UnsetType, Meta(description="Only rows of the library with this id.")] = UNSET
    offset: Annotated[int, Meta(ge=0, le=1_000_000, description="How many rows to leave out.")] = 0
    limit: Annotated[int, Meta(ge=1, le=MOST_ROWS, description="How many rows to give, 1 to 500.")] = 100
    fresh: Annotated[bool, Meta(description="Compute the plan anew, also for folders that it has a row for.")] = False


class ClueAnswer(Answer):
    """Something on disk that tells which game a folder is: an id at a provider, or a name."""

    kind: str
    source: str
    value: str
    detail: str


class CandidateAnswer(Answer):
    """A game that a folder may be: how sure that is, 0 to 1, and why."""

    id: str
    source_id: str
    source_name: str
    name: str
    year: int
    icon: str
    description: str
    confidence: float
    reasons: list[str]


class ProposedVersion(Answer):
    """How a version could be imported; ``remark`` says why it cannot as it is."""

    version: str
    platform: str
    only_setup: bool
    launch: str
    setup: str
    match: float
    remark: str


class PlanRowAnswer(Answer):
    """What is proposed for one unimported folder."""

    id: str
    library: str
    game: str
    title: str
    certain: bool
    confidence: float
    clues: list[ClueAnswer]
    candidates: list[CandidateAnswer]
    versions: list[ProposedVersion]
    remark: str
    computed: str


class PlanAnswer(Answer):
    """The plan as far as it has been computed; ``taskId`` meanwhile. Counts are of the library asked for."""

    task_id: str | None
    total: int
    certain: int
    doubtful: int
    rows: list[PlanRowAnswer]
