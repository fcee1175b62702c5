"""What must be true after a fault: everything acknowledged is there, and nobody needs to repair anything.

Each invariant yields a sentence for each violation.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from playdock.db.database import Database
from torture.acknowledged import Changed, Journal, SignedUp, TaskStarted, TaskSucceeded
from torture.connection import Connection, Refused, Unanswered
from torture.games import Release
from torture.served import Served, WrongBytes

# Sign-ins take a tenth of a second of a core, and downloads time too: of old ones, this many are checked after a fault.
_SAMPLE = 5
_FIELDS = ("displayName", "email", "profilePictureObjectId")
_UNKNOWN = 404
_CONFLICT = 409
_UNAUTHORIZED = 401


class Examination(Struct):
    """What is examined: a running service, its database and storage, and what it has acknowledged.

    ``checked`` are the names of what has been checked since it was last changed, of which only a sample is checked
    again, unless the examination is ``thorough``.
    """

    admin: Connection
    database: Database
    objects: Path
    journal: Journal
    random: Random
    checked: set[str]
    thorough: bool = False

    def due(self, names: Sequence[str]) -> list[str]:
        """Return the names to check: new ones and some old ones, or all."""
        if self.thorough:
            return list(names)
        old = [name for name in names if name in self.checked]
        return [name for name in names if name not in self.checked] + self.random.sample(old, min(len(old), _SAMPLE))

    def query(self, statement: str, **values: Any) -> list[Any]:
        with self.database.read() as session:
            return list(session.execute(text(statement), values))


def users_are_as_acknowledged(examination: Examination) -> Iterator[str]:
    """Every user is there, with the acknowledged values or others that were sent later."""
    listed = {user["username"]: user for user in examination.admin.get("/api/v1/admin/users")}
    for account in list(examination.journal.state.accounts.values()):
        user = listed.get(account.username)
        if user is None or user["id"] != account.id:
            yield f"The user {account.username} signed up and is missing."
            continue
        for name in _FIELDS:
            expected = account.fields.get(name)
            if expected and not expected.allows(user[name]):
                yield f"{name} of {account.username} is {user[name]!r} instead of {expected.acknowledged!r}."
            elif expected and expected.possible:
                examination.journal.write(Changed(account.username, name, user[name]))


def users_can_sign_in(examination: Examination) -> Iterator[str]:
    """Every user can sign in with the acknowledged password or with another that was sent later."""
    accounts = examination.journal.state.accounts
    changed = {name for name, account in accounts.items() if account.fields["password"].possible}
    for username in {*examination.due([*accounts]), *changed}:
        expected = accounts[username].fields["password"]
        passwords = [expected.acknowledged, *reversed(expected.possible)]
        working = next((each for each in passwords if _signs_in(examination, username, each)), None)
        if working is None:
            yield f"{username} cannot sign in."
        elif expected.possible:
            examination.journal.write(Changed(username, "password", working))
        examination.checked.add(username)


def profile_pictures_are_served(examination: Examination) -> Iterator[str]:
    """The picture of every user is there, whether it was uploaded or drawn at the sign-up."""
    users = examination.admin.get("/api/v1/admin/users")
    pictures = {user["profilePictureObjectId"]: user["username"] for user in users}
    for object_id in examination.due([*pictures]):
        for problem in _problems(partial(Served(examination.admin).check_image, object_id)):
            yield f"The picture of {pictures[object_id]}: {problem}"
        examination.checked.add(object_id)


def invitations_are_redeemed_once(examination: Examination) -> Iterator[str]:
    """An invitation is valid and has no user, or is used up and has one."""
    users = {user["username"]: user["id"] for user in examination.admin.get("/api/v1/admin/users")}
    valid = {each["id"] for each in examination.admin.get("/api/v1/admin/auth/invitation")}
    for invitation, tried in list(examination.journal.state.invitations.items()):
        found = [name for name in tried if name in users]
        if len(found) > 1:
            yield f"The invitation {invitation} was redeemed {len(found)} times: {', '.join(found)}."
        elif found and invitation in valid:
            yield f"The invitation {invitation} was redeemed by {found[0]} and is still valid."
        elif not found and invitation not in valid:
            yield f"The invitation {invitation} is gone, and none of its users exists: {', '.join(tried)}."
        for name in set(found) - set(examination.journal.state.accounts):
            examination.journal.write(SignedUp(name, users[name]))


def tasks_succeed(examination: Examination) -> Iterator[str]:
    """Every started task is active or has succeeded."""
    for task in list(examination.journal.state.tasks.values()):
        response = examination.admin.call("GET", f"/api/v1/task/{task.task}", allowed=(_UNKNOWN,))
        if response.status_code == _UNKNOWN:
            yield f"The task {task.task} was started and is missing ({_named(task)})."
            continue
        status = response.json()
        if status["success"]:
            examination.journal.write(TaskSucceeded(task.task))
        elif status["ended"]:
            yield f"The task {task.task} failed ({_named(task)}): {status['error']} {status['log']}"


def versions_are_downloadable(examination: Examination) -> Iterator[str]:
    """Every imported version is listed, and all its bytes are those that were imported."""
    served = Served(examination.admin)
    versions = {f"{game} {version}": Release(game, version) for game, version in examination.journal.state.versions}
    for name in examination.due(sorted(versions)):
        yield from _problems(partial(served.check_version, versions[name]))
        examination.checked.add(name)


def games_are_listed(examination: Examination) -> Iterator[str]:
    """Every imported game and version has a row."""
    rows = examination.query("SELECT g.path, v.name FROM games g LEFT JOIN versions v ON v.game_id = g.id")
    games, versions = {row[0] for row in rows}, {tuple(row) for row in rows}
    for game in sorted(examination.journal.state.games - games):
        yield f"{game} was imported and is missing."
    for game, version in sorted(examination.journal.state.versions - versions):
        yield f"{version} of {game} was imported and is missing."


def images_are_served(examination: Examination) -> Iterator[str]:
    """Every uploaded image belongs to its game, and its renditions have the bytes that were stored."""
    served, images = Served(examination.admin), examination.journal.state.images
    rows = {(row[0], row[1]) for row in examination.query("SELECT id, game_id FROM pictures")}
    for image in list(images.values()):
        if (image.image, image.game_id) not in rows:
            yield f"The image {image.image} was uploaded and is missing."
    for name in examination.due([*images]):
        for object_id in images[name].objects:
            yield from _problems(partial(served.check_image, object_id))
        examination.checked.add(name)


def no_version_is_damaged(examination: Examination) -> Iterator[str]:
    """No file is reported as damaged, because none was changed."""
    for version in examination.admin.get("/api/v1/admin/damage"):
        files = [f"{file['path']} ({file['fault']})" for file in version["files"]]
        yield f"{version['game']['name']} {version['version']['name']} is reported as damaged: {', '.join(files)}."


def health_is_good(examination: Examination) -> Iterator[str]:
    """The service accepts a change: it needs no restart and no repair."""
    yield from _problems(lambda: examination.admin.call("PATCH", "/api/v1/user", json={"displayName": "The admin"}))


def _signs_in(examination: Examination, username: str, password: str) -> bool:
    connection = Connection(examination.admin.address)
    body = {"username": username, "password": password}
    try:
        response = connection.call("POST", "/api/v1/auth/signin/simple", json=body, allowed=(_UNAUTHORIZED,))
    finally:
        connection.close()
    return response.is_success


def _problems(check: Callable[[], object]) -> Iterator[str]:
    try:
        check()
    except (WrongBytes, Refused, Unanswered) as error:
        yield str(error)


def _named(task: TaskStarted) -> str:
    return " ".join(filter(None, (task.kind, task.game, task.version)))


OVER_HTTP = (
    health_is_good,
    users_are_as_acknowledged,
    users_can_sign_in,
    profile_pictures_are_served,
    invitations_are_redeemed_once,
    tasks_succeed,
    games_are_listed,
    versions_are_downloadable,
    images_are_served,
    no_version_is_damaged,
)
