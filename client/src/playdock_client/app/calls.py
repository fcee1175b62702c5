"""The agent's own interface for the pages, below ``/_client/v1``.

Calls take ids of this server's games, of jobs and of configured folders; never paths, commands or arguments. So a page
cannot make the agent do more than a player can in the app.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from playdock_client.app import drives
from playdock_client.app.app_settings import Hours, NoSuchFolder
from playdock_client.app.job_queue import problem_of
from playdock_client.app.jobs import JobKind, UnknownJob
from playdock_client.app.session import ServerSession
from playdock_client.decoding import decode_json
from playdock_client.errors import ClientError, NotInstalled
from playdock_client.launch_properties import LaunchProperties
from playdock_client.responses import ApiStruct
from playdock_client.shortcuts.game_shortcuts import ShortcutPlace

_T = TypeVar("_T")
PREFIX = "/_client/v1"
# No more than any connection transfers, in bytes per second.
_MAX_RATE = 10**12
_MIN_RATE = 1000


class BadCall(ClientError):
    """The body of a call is invalid."""


class UnknownCall(ClientError):
    """There is no such call."""

    def __init__(self) -> None:
        super().__init__("The app does not know this call. Restart the app to update it.")


class CallProblem(ApiStruct, frozen=True):
    """A problem document."""

    type: str
    status: int
    detail: str
    title: str = "The app"


class InstallBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    version: str | None = None
    folder: str | None = None
    shortcuts: tuple[ShortcutPlace, ...] = ()


class UninstallBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    remove_own: bool = False
    remove_prefix: bool = False


class FolderBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    folder: str


class VersionBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    version: str | None = None


class PositionBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    position: int


class SettingsBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    limit_rate: int | None
    pause_while_playing: bool
    hours: Hours | None
    automatic_updates: bool
    update_client: bool | None = None


class ShortcutsBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    places: tuple[ShortcutPlace, ...]


class SteamBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    present: bool


class AutomaticBody(ApiStruct, frozen=True, forbid_unknown_fields=True):
    automatic: bool | None


def answer(session: ServerSession, method: str, path: str, body: bytes) -> bytes:
    """Do a call and return the JSON of its response. Raises ClientError."""
    target = path.removeprefix(PREFIX)
    if method == "GET" and (read := _READS.get(target)):
        return msgspec.json.encode(read(session))
    if method == "GET" and (details := _DETAILS.fullmatch(target)):
        return msgspec.json.encode(session.games.details(details[1]))
    for write_method, pattern, write in _WRITES:
        if write_method == method and (match := pattern.fullmatch(target)):
            write(session, body, *match.groups())
            return b"null"
    raise UnknownCall


def problem(error: ClientError | OSError) -> CallProblem:
    """Return an error of a call as a problem document (RFC 9457), as the server's API does."""
    found = problem_of(error)
    return CallProblem(found.code, _status_of(error), found.detail)


def _status_of(error: ClientError | OSError) -> int:
    if isinstance(error, OSError):
        return 507
    if isinstance(error, BadCall):
        return 400
    return 404 if isinstance(error, UnknownCall | UnknownJob | NotInstalled | NoSuchFolder) else 409


def read_call(body: bytes, kind: type[_T]) -> _T:
    try:
        return decode_json(body or b"{}", kind)
    except msgspec.MsgspecError as error:
        raise BadCall(f"The request is invalid: {error}.") from error


def _install(session: ServerSession, body: bytes, game: str) -> None:
    wanted = read_call(body, InstallBody)
    session.jobs.install(game, version=wanted.version, folder=wanted.folder, shortcuts=wanted.shortcuts)


def _update(session: ServerSession, body: bytes, game: str) -> None:
    session.jobs.submit(JobKind.UPDATE, game, version=read_call(body, VersionBody).version)


def _uninstall(session: ServerSession, body: bytes, game: str) -> None:
    wanted = read_call(body, UninstallBody)
    session.jobs.submit(JobKind.UNINSTALL, game, remove_own=wanted.remove_own, remove_prefix=wanted.remove_prefix)


def _set_shortcuts(session: ServerSession, body: bytes, game: str) -> None:
    session.games.set_shortcuts(game, read_call(body, ShortcutsBody).places)


def _set_steam(session: ServerSession, body: bytes, game: str) -> None:
    session.games.set_steam(game, present=read_call(body, SteamBody).present)


def _set_properties(session: ServerSession, body: bytes, game: str) -> None:
    session.games.set_properties(game, read_call(body, LaunchProperties))


def _change_settings(session: ServerSession, body: bytes) -> None:
    wanted = read_call(body, SettingsBody)
    if wanted.limit_rate is not None and not _MIN_RATE <= wanted.limit_rate <= _MAX_RATE:
        raise BadCall(f"Choose a rate of at least {_MIN_RATE} bytes per second.")
    app = session.preferences.read()
    # Pages of an older server do not know all settings.
    changes = {name: value for name, value in msgspec.structs.asdict(wanted).items() if name != "update_client"}
    update_client = app.update_client if wanted.update_client is None else wanted.update_client
    session.preferences.change(msgspec.structs.replace(app, **changes, update_client=update_client))


_GAME = r"/games/([0-9a-f-]{36})"
_JOB = r"/jobs/([0-9a-f-]{36})"
_Read = Callable[[ServerSession], object]
_Write = Callable[..., None]
_READS: Mapping[str, _Read] = {
    "/state": ServerSession.state,
    "/drives": lambda _: drives.drives(),
    "/adoptable": lambda s: s.jobs.adoptable_folders(),
}
_DETAILS = re.compile(f"{_GAME}/details")
_TABLE: Sequence[tuple[str, str, _Write]] = (
    ("POST", f"{_GAME}/install", _install),
    ("POST", f"{_GAME}/update", _update),
    ("POST", f"{_GAME}/verify", lambda s, _, game: s.jobs.submit(JobKind.VERIFY, game)),
    ("POST", f"{_GAME}/repair", lambda s, _, game: s.jobs.submit(JobKind.REPAIR, game)),
    ("POST", f"{_GAME}/prepare", lambda s, _, game: s.jobs.submit(JobKind.PREPARE, game)),
    ("POST", f"{_GAME}/uninstall", _uninstall),
    ("POST", f"{_GAME}/move", lambda s, body, game: s.jobs.move(game, read_call(body, FolderBody).folder)),
    ("POST", f"{_GAME}/launch", lambda s, _, game: s.games.launch(game)),
    ("POST", f"{_GAME}/stop", lambda s, _, game: s.games.stop(game)),
    ("POST", f"{_GAME}/open-folder", lambda s, _, game: s.games.open_folder(game)),
    ("POST", f"{_GAME}/dismiss", lambda s, _, game: s.games.processes.forget_problem(game)),
    ("POST", f"{_GAME}/adopt", lambda s, body, game: s.jobs.adopt(game, read_call(body, FolderBody).folder)),
    ("PUT", f"{_GAME}/shortcuts", _set_shortcuts),
    ("PUT", f"{_GAME}/steam", _set_steam),
    ("PUT", f"{_GAME}/properties", _set_properties),
    (
        "PUT",
        f"{_GAME}/automatic-updates",
        lambda s, body, game: s.preferences.set_automatic(game, automatic=read_call(body, AutomaticBody).automatic),
    ),
    ("POST", f"{_JOB}/pause", lambda s, _, job: s.queue.pause(job)),
    ("POST", f"{_JOB}/resume", lambda s, _, job: s.queue.resume(job)),
    ("POST", f"{_JOB}/position", lambda s, body, job: s.queue.move(job, read_call(body, PositionBody).position)),
    ("DELETE", _JOB, lambda s, _, job: s.jobs.cancel(job)),
    ("PUT", "/settings", _change_settings),
    ("POST", "/updates", lambda s, _: s.check_updates_now()),
    ("POST", "/client-update/install", lambda s, _: s.updater.check(install=True)),
    ("POST", "/client-update/restart", lambda s, _: s.updater.restart()),
    ("POST", "/folders", lambda s, body: s.preferences.add_folder(read_call(body, FolderBody).folder)),
    ("DELETE", r"/folders/([0-9a-z-]{1,40})", lambda s, _, folder: s.preferences.remove_folder(folder)),
)
_WRITES = tuple((method, re.compile(pattern), write) for method, pattern, write in _TABLE)
