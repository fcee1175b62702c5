"""What JSON columns contain: a frozen struct for each task's arguments and for each kind of row. Also task subjects.

Rows outlive releases. A key that earlier releases did not write needs a default here, keys that are not known are
ignored, and a struct is never a schema of the HTTP interface, which may change for other reasons.

Only one active task may work on a *subject*, and a subject that begins like another includes it: `versions_subject`
matches every task that reads or patches a version of the game.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

_Stored = TypeVar("_Stored", bound="Stored")


class Stored(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of everything that is stored as JSON. Keys are in camel case."""


class TaskArguments(Stored, frozen=True):
    """The base of all task arguments, and the arguments of tasks that need none."""


class MetadataReference(Stored, frozen=True):
    """A game at a metadata provider, or the name that an administrator entered."""

    source_id: str
    id: str
    name: str


class ImportGameArguments(TaskArguments, frozen=True):
    """Arguments of ``import:game``: the folder, the id of the new game, and the metadata to import with."""

    game: str
    library: str
    path: str
    metadata: MetadataReference | None = None


class PlaceUploadArguments(TaskArguments, frozen=True):
    """Arguments of ``place:upload``."""

    upload: str


class RefreshGameArguments(TaskArguments, frozen=True):
    """Arguments of ``refresh:game``; ``overwrite`` names fields that lose what an administrator entered."""

    game: str
    metadata: MetadataReference
    overwrite: tuple[str, ...] = ()


class ImportVersionArguments(TaskArguments, frozen=True):
    """Arguments of ``import:version``: ``version`` is the id of the new version, ``base`` what a delta goes over."""

    game: str
    version: str
    name: str
    platform: str
    beside: bool = False
    base: str | None = None
    only_setup: bool = False
    launch: str = ""
    launch_args: str = ""
    setup: str = ""
    setup_args: str = ""
    compat_id: str | None = None


class ReimportVersionArguments(TaskArguments, frozen=True):
    """Arguments of ``reimport:version``."""

    version: str


class VerifyVersionArguments(TaskArguments, frozen=True):
    """Arguments of ``verify:version``."""

    version: str


class PatchVersionArguments(TaskArguments, frozen=True):
    """Arguments of ``patch:version``: the ids of the newer version and of the older one."""

    version: str
    from_id: str = msgspec.field(name="from")
    differences: bool = False


class DropVersionArguments(TaskArguments, frozen=True):
    """Arguments of ``drop:version``: for Drop 0.4 if ``packed``, as an update of the version ``previous`` if any."""

    version: str
    packed: bool = False
    previous: str | None = None


class PlanImportArguments(TaskArguments, frozen=True):
    """Arguments of ``plan:import``; ``fresh`` computes rows again that the plan already has."""

    fresh: bool = False


class ImportRunArguments(TaskArguments, frozen=True):
    """Arguments of ``import:run``."""

    run: str


class RemoveLibraryArguments(TaskArguments, frozen=True):
    """Arguments of ``remove:library``."""

    library: str


class PlanClue(Stored, frozen=True):
    """A piece of evidence in ``plan_rows.clues``."""

    kind: str
    source: str
    value: str
    detail: str


class PlanCandidate(Stored, frozen=True):
    """A game in ``plan_rows.candidates`` that a folder may be, most likely first; ``confidence`` is 0 to 1."""

    id: str
    source_id: str
    source_name: str
    name: str
    year: int
    icon: str
    description: str
    confidence: float
    reasons: tuple[str, ...]


class VersionProposal(Stored, frozen=True):
    """How a version in ``plan_rows.versions`` could be imported; ``remark`` says why it cannot be without changes."""

    version: str
    platform: str = ""
    only_setup: bool = False
    launch: str = ""
    setup: str = ""
    setup_args: str = ""
    match: float = 0.0
    remark: str = ""
    remark_code: str | None = None
    remark_parameters: Mapping[str, Any] = {}


class RunVersion(Stored, frozen=True):
    """A version that a run imports."""

    version: str
    platform: str
    only_setup: bool = False
    launch: str = ""
    launch_args: str = ""
    setup: str = ""
    setup_args: str = ""


class RunChoice(Stored, frozen=True):
    """What was selected for a folder: ``import_run_rows.choice``. Without metadata the folder's name is used.

    Once the row is done, it also has the code and the parameters of the sentence in ``import_run_rows.fault``.
    """

    metadata: MetadataReference | None = None
    versions: tuple[RunVersion, ...] = ()
    fault_code: str | None = None
    fault_parameters: Mapping[str, Any] = {}


class StoredRating(Stored, frozen=True):
    """A rating in ``games.ratings``: ``score`` is 0 to 1, ``count`` the number of votes if it is known."""

    source: str
    score: float
    count: int | None = None
    url: str = ""


class StoredAgeRating(Stored, frozen=True):
    """An age rating in ``games.age_ratings``, in the words of the rating board."""

    board: str
    value: str
    descriptors: tuple[str, ...] = ()


class StoredWebsite(Stored, frozen=True):
    """A page about a game in ``games.websites``."""

    kind: str
    url: str


class StoredRendition(Stored, frozen=True):
    """One size of a picture in ``pictures.renditions``, in pixels."""

    size: str
    media_type: str
    width: int
    height: int
    object_id: str


class LibraryRules(Stored, frozen=True):
    """What is imported from a library without a person: ``libraries.rules``.

    Names that match a pattern in ``ignore`` are not offered for import: of folders and archives, or ``GAME/VERSION``.
    """

    import_games: bool = False
    import_versions: bool = False
    ignore: tuple[str, ...] = ()


class LibraryOptions(Stored, frozen=True):
    """The absolute path of a library: ``libraries.options``. The service writes to it only if it is ``managed``."""

    base_dir: str
    managed: bool = False


class StoredPreferences(Stored, frozen=True):
    """What a user wants to be notified of: ``notification_preferences.preferences``.

    Without ``platforms`` and ``tags``, which are ids, all new games are of interest. The app hides what is ``muted``.
    """

    platforms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()


class StoredDelivery(Stored, frozen=True):
    """How a user gets notifications outside of the app: ``delivery_preferences.preferences``.

    ``channels`` has the types of events that each channel delivers. All times of day, such as 22:00, are those of the
    ``time_zone``, an IANA name. Nothing is delivered during quiet hours, and with ``digest_at`` only once a day.
    ``chat_url`` is the encrypted URL of the user's chat service.
    """

    channels: Mapping[str, tuple[str, ...]] = {}
    quiet_from: str = ""
    quiet_until: str = ""
    digest_at: str = ""
    time_zone: str = "UTC"
    language: str = "en"
    chat_url: str = ""


def encode(row: Stored) -> dict[str, Any]:
    """Return the JSON object to store."""
    stored: dict[str, Any] = msgspec.to_builtins(row)
    return stored


def encode_list(rows: Iterable[Stored]) -> list[dict[str, Any]]:
    """Return the JSON array to store."""
    return [encode(row) for row in rows]


def decode(stored: Mapping[str, Any], struct: type[_Stored]) -> _Stored:
    """Return what a JSON column contains.

    Raises:
        msgspec.ValidationError: it was written by a release whose rows this one does not read.
    """
    return msgspec.convert(stored, struct)


def decode_list(stored: Sequence[Mapping[str, Any]], struct: type[_Stored]) -> list[_Stored]:
    """Return the rows that a JSON column contains. Raises as `decode` does."""
    return [decode(row, struct) for row in stored]


def game_subject(library_id: str, path: str) -> str:
    """Return the subject of importing a folder as a game."""
    return f"game:{library_id}:{path}"


def refresh_subject(game_id: str) -> str:
    """Return the subject of fetching a game's metadata again."""
    return f"refresh:{game_id}"


def versions_subject(game_id: str) -> str:
    """Return how the subjects of all tasks begin that work on the versions of a game."""
    return f"version:{game_id}:"


def version_subject(game_id: str, name: str) -> str:
    """Return the subject of reading a version, by its name on disk: a version is imported by one task at a time."""
    return f"{versions_subject(game_id)}{name}"


def drop_version_subject(arguments: DropVersionArguments) -> str:
    """Return the subject of the task that computes the checksums of a version for Drop's clients."""
    of_drop_04 = f":{arguments.previous or 'new'}" if arguments.packed else ""
    return f"drop-version:{arguments.version}{of_drop_04}"


def patches_subject(game_id: str, *, new_id: str, old_id: str) -> str:
    """Return the subject of computing the patches from one version of a game to another."""
    return f"{versions_subject(game_id)}{new_id}:{old_id}"


def verify_subject(version_id: str) -> str:
    """Return the subject of verifying a version."""
    return f"verify:{version_id}"


def removal_subject(library_id: str) -> str:
    """Return the subject of removing a library with its games."""
    return f"remove:{library_id}"


def upload_subject(upload_id: str) -> str:
    """Return the subject of moving an upload to its place."""
    return f"upload:{upload_id}"


def run_subject(run_id: str) -> str:
    """Return the subject of an import run."""
    return f"run:{run_id}"
