"""What clients have sent and what the service has acknowledged, from which follows what must be there.

Every event is appended to a journal. The state is computed from the events, so that a run can be resumed.

A change that was sent without getting an acknowledgement may or may not have been made: both are allowed.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct, field

# The value of a sent picture, whose id is known only when the service acknowledges it.
ANY = "*"


class Invited(Struct, tag=True):
    """An invitation was created."""

    invitation: str


class SignUpSent(Struct, tag=True):
    """Someone tried to redeem an invitation."""

    invitation: str
    username: str
    password: str


class SignedUp(Struct, tag=True):
    """A user was created."""

    username: str
    id: str


class ChangeSent(Struct, tag=True):
    """A user tried to change a field of the account."""

    username: str
    field: str
    value: str


class Changed(Struct, tag=True):
    """A field of an account was changed."""

    username: str
    field: str
    value: str


class TaskStarted(Struct, tag=True):
    """A task was started: the import of a game or a version, or the creation of patches."""

    task: str
    kind: str
    game: str = ""
    version: str = ""


class TaskSucceeded(Struct, tag=True):
    """A task was seen to have ended successfully."""

    task: str


class Imported(Struct, tag=True):
    """A game or a version was seen to be imported, by a request that was not acknowledged."""

    game: str
    version: str = ""


class ImageStored(Struct, tag=True):
    """An image of a game was stored; ``objects`` are the ids of its renditions."""

    game_id: str
    image: str
    objects: list[str]


Event = Invited | SignUpSent | SignedUp | ChangeSent | Changed | TaskStarted | TaskSucceeded | Imported | ImageStored


class Value(Struct):
    """The acknowledged value of a field, and those that were sent later without an acknowledgement."""

    acknowledged: str
    possible: list[str] = field(default_factory=list)

    def allows(self, value: str) -> bool:
        return value == self.acknowledged or value in self.possible or ANY in self.possible


class Account(Struct):
    """A user whose sign-up was acknowledged, and the fields that the user has changed."""

    username: str
    id: str
    invitation: str
    fields: dict[str, Value]


class Acknowledged(Struct):
    """The state that follows from the events."""

    invitations: dict[str, dict[str, str]] = field(default_factory=dict)
    """The user names with which each invitation was tried, and their passwords."""
    accounts: dict[str, Account] = field(default_factory=dict)
    tasks: dict[str, TaskStarted] = field(default_factory=dict)
    """Tasks that have not been seen to end."""
    versions: set[tuple[str, str]] = field(default_factory=set)
    """Imported versions: the folders of game and version."""
    games: set[str] = field(default_factory=set)
    """Imported games: their folders."""
    images: dict[str, ImageStored] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        match event:
            case Invited():
                self.invitations[event.invitation] = {}
            case SignUpSent():
                self.invitations[event.invitation][event.username] = event.password
            case SignedUp():
                self._sign_up(event)
            case ChangeSent():
                self._field(event).possible.append(event.value)
            case Changed():
                self.accounts[event.username].fields[event.field] = Value(event.value)
            case TaskStarted():
                self.tasks[event.task] = event
            case TaskSucceeded():
                self._succeed(self.tasks.pop(event.task))
            case Imported():
                self._add(event.game, event.version)
            case ImageStored():
                self.images[event.image] = event

    def _sign_up(self, event: SignedUp) -> None:
        invitation = next(each for each, tried in self.invitations.items() if event.username in tried)
        fields = {"password": Value(self.invitations[invitation][event.username])}
        self.accounts[event.username] = Account(event.username, event.id, invitation, fields)

    def _field(self, event: ChangeSent) -> Value:
        return self.accounts[event.username].fields.setdefault(event.field, Value("", [ANY]))

    def _succeed(self, task: TaskStarted) -> None:
        if task.kind != "patches":
            self._add(task.game, task.version)

    def _add(self, game: str, version: str) -> None:
        self.games.add(game)
        if version:
            self.versions.add((game, version))


class Journal:
    """The events of a run in a file, and the state that follows from them. Usable by several threads."""

    def __init__(self, file: Path) -> None:
        self.state = Acknowledged()
        for event in _read(file):
            self.state.apply(event)
        self.lock = threading.Lock()
        self._file: IO[bytes] = file.open("ab")

    def write(self, event: Event) -> None:
        with self.lock:
            self._file.write(msgspec.json.encode(event) + b"\n")
            self._file.flush()
            self.state.apply(event)

    def close(self) -> None:
        self._file.close()


def _read(file: Path) -> Iterator[Event]:
    """Yield the events of a journal; the last line may be incomplete if the run was killed, and is removed."""
    if not file.exists():
        return
    content = file.read_bytes()
    complete = content[: content.rfind(b"\n") + 1]
    if complete != content:
        file.write_bytes(complete)
    for line in complete.splitlines():
        yield msgspec.json.decode(line, type=Event)
