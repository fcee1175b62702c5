"""Pure decisions about moving in: what is added, what is here already, and what cannot be moved."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playdock.auth.permissions import grantable_to
from playdock.domain.libraries.schemas import BackendKind
from playdock.features.accounts.rules import normalize
from playdock.features.accounts.schemas import Email, Username
from playdock.kit.s3_location import is_s3_url
from playdock.other_servers.model import (
    SourceGame,
    SourceLibrary,
    SourceSession,
    SourceUser,
)

_USERNAME_CHARACTERS = 32
_MIN_USERNAME_CHARACTERS = 3
# A stored hash with higher costs would take minutes or gigabytes for each sign-in; no server makes such hashes.
_MAX_BCRYPT_COST = 15
_MAX_ARGON2_KIB = 1024 * 1024
_MAX_ARGON2_PASSES = 20
_BCRYPT = re.compile(r"\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}")
_ARGON2 = re.compile(r"\$argon2(?:id|i|d)\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=\d{1,3}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+")


class MovedKind(StrEnum):
    """What is moved.

    A reset is a user who has no password here yet; its target is the hash that stands for it. A version is one whose
    import was started; its target is the id of its game. That of a save is its id and its position
    (`save_rules.save_target`).
    """

    USER = "user"
    RESET = "reset"
    INVITATION = "invitation"
    LIBRARY = "library"
    GAME = "game"
    COMPANY = "company"
    TAG = "tag"
    VERSION = "version"
    COLLECTION = "collection"
    ENTRY = "entry"
    PLAY_RECORD = "play-record"
    PLAY_SESSION = "play-session"
    SAVE = "save"
    TOKEN = "token"  # noqa: S105 - a kind of row


class Step(StrEnum):
    """What happens to something: it is added, was moved before, is here without having been moved, or is left out."""

    ADD = "add"
    MOVED = "moved"
    PRESENT = "present"
    OMIT = "omit"


class PlannedUser(Struct, frozen=True):
    """A user, the id of the one here unless it is added, and the user name here."""

    source: SourceUser
    step: Step
    target: str
    username: str

    @property
    def has_password(self) -> bool:
        return is_usable(self.source.password)

    @property
    def can_sign_in(self) -> bool:
        return self.has_password or bool(self.source.identity)


class PlannedLibrary(Struct, frozen=True):
    """A library, the id of the one here unless it is added, and its folder here."""

    source: SourceLibrary
    step: Step
    target: str
    base_dir: str
    reason: str = ""


class PlannedGame(Struct, frozen=True):
    """A game, and the id of the one here unless it is added."""

    source: SourceGame
    step: Step
    target: str
    reason: str = ""


def path_here(path: str, mapped: Mapping[str, str]) -> str:
    """Return where a folder of the other server is on this machine; the most specific mapping applies."""
    plain = _plain(path)
    for old in sorted(map(_plain, mapped), key=len, reverse=True):
        new = next(_plain(new) for given, new in mapped.items() if _plain(given) == old)
        if plain == old:
            return new
        if plain.startswith(f"{old.rstrip('/')}/"):
            return f"{new.rstrip('/')}/{plain[len(old.rstrip('/')) + 1 :]}"
    return plain


def _plain(path: str) -> str:
    """Return a path without slashes at its end."""
    return path.rstrip("/") or "/"


def is_usable(stored: str) -> bool:
    """Return whether a password can be verified with a hash of another server, at a reasonable cost."""
    if bcrypt := _BCRYPT.fullmatch(stored):
        return int(bcrypt[1]) <= _MAX_BCRYPT_COST
    if argon2 := _ARGON2.fullmatch(stored):
        return int(argon2[1]) <= _MAX_ARGON2_KIB and int(argon2[2]) <= _MAX_ARGON2_PASSES
    return False


def is_username(name: str | None) -> bool:
    return name is None or _conforms(name, Username)


def email_of(address: str) -> str:
    """Return an email address, empty if it is none."""
    return address if _conforms(address, Email) else ""


def _conforms(text: str, kind: object) -> bool:
    try:
        msgspec.convert(text, kind)
    except msgspec.ValidationError:
        return False
    return True


def username_here(wanted: str, taken: Collection[str]) -> str:
    """Return a valid user name like another one that no normalized name in ``taken`` equals."""
    letters = re.sub(r"[^A-Za-z0-9]", "", wanted)[:_USERNAME_CHARACTERS]
    name = letters if len(letters) >= _MIN_USERNAME_CHARACTERS else f"{letters}user"
    number = 2
    while normalize(name) in taken:
        name = f"{letters[: _USERNAME_CHARACTERS - 6]}{number}".rjust(_MIN_USERNAME_CHARACTERS, "u")
        number += 1
    return name


def plan_users(
    users: Collection[SourceUser], *, moved: Mapping[str, str], present: Mapping[str, str]
) -> list[PlannedUser]:
    """Decide about users. ``moved`` are ids by key, ``present`` are ids by normalized user name.

    Who has the same user name here is the same person: collections are added to the account, nothing else changes.
    """
    planned = []
    names, taken = {user_id: name for name, user_id in present.items()}, set(present)
    # Who has a valid name keeps it, even if the name of somebody else becomes the same.
    kept = {normalize(user.username) for user in users if is_username(user.username)}
    for user in users:
        if user.key in moved:
            step = Step.MOVED if moved[user.key] in names else Step.OMIT
            planned.append(PlannedUser(user, step, moved[user.key], names.get(moved[user.key], user.username)))
        elif normalize(user.username) in present:
            planned.append(PlannedUser(user, Step.PRESENT, present[normalize(user.username)], user.username))
        else:
            name = username_here(user.username, taken if is_username(user.username) else taken | kept)
            taken.add(normalize(name))
            planned.append(PlannedUser(user, Step.ADD, "", name))
    return planned


def plan_libraries(
    libraries: Iterable[SourceLibrary],
    *,
    mapped: Mapping[str, str],
    moved: Mapping[str, str],
    present: Mapping[str, tuple[str, bool]],
    place_of: Callable[[str], Hashable],
) -> list[PlannedLibrary]:
    """Decide about libraries.

    ``present`` are folders here by id of the library, and whether it is flat. Paths with the same ``place_of`` lead to
    the same folder.
    """
    planned = []
    by_place = {(place_of(folder), flat): library_id for library_id, (folder, flat) in present.items()}
    for library in libraries:
        folder = path_here(library.base_dir, mapped)
        if library.key in moved:
            known = moved[library.key] in present
            step = Step.MOVED if known else Step.OMIT
            planned.append(PlannedLibrary(library, step, moved[library.key], folder, "" if known else REMOVED))
        elif not folder.startswith("/") and not is_s3_url(folder):
            reason = f"its folder {folder} is not an absolute path. Use --map {folder}=NEW"
            planned.append(PlannedLibrary(library, Step.OMIT, "", folder, reason))
        elif (known_id := by_place.get((place_of(folder), library.layout is BackendKind.FLAT_FILESYSTEM))) is not None:
            planned.append(PlannedLibrary(library, Step.PRESENT, known_id, folder))
        else:
            planned.append(PlannedLibrary(library, Step.ADD, "", folder))
    return planned


REMOVED = "it was moved before, and then deleted here"


def plan_games(
    games: Iterable[SourceGame],
    *,
    moved: Mapping[str, str],
    present: Mapping[tuple[str, str], str],
    listed: Mapping[str, Collection[str]],
    targets: Mapping[str, str],
) -> list[PlannedGame]:
    """Decide about games.

    ``present`` are ids by library here and path, ``listed`` the folders that each library of the other server has on
    this machine, and ``targets`` the ids of these libraries here, as far as they exist.
    """
    planned = []
    ids = set(present.values())
    for game in games:
        here = present.get((targets.get(game.library, ""), game.path))
        if game.key in moved:
            known = moved[game.key] in ids
            step = Step.MOVED if known else Step.OMIT
            planned.append(PlannedGame(game, step, moved[game.key], "" if known else REMOVED))
        elif here is not None:
            planned.append(PlannedGame(game, Step.PRESENT, here))
        elif game.library not in listed:
            planned.append(PlannedGame(game, Step.OMIT, "", "its library cannot be read here"))
        elif not any(name in listed[game.library] for name in _folders_of(game)):
            planned.append(PlannedGame(game, Step.OMIT, "", f"its folder or archive {game.path} is not in the library"))
        else:
            planned.append(PlannedGame(game, Step.ADD, ""))
    return planned


def _folders_of(game: SourceGame) -> Iterator[str]:
    """Yield the folders of a library with versions of a game."""
    yield game.path
    yield from (version.name for version in game.versions if version.beside)


class Remark(Struct, frozen=True):
    """What is to be said of something that is moved differently, or not."""

    about: str
    text: str


class Count(Struct, frozen=True):
    """How many there are of one kind: at the other server, to add, here already, and left out."""

    kind: str
    found: int
    added: int
    present: int
    omitted: int

    @classmethod
    def of(cls, kind: str, steps: Sequence[Step]) -> "Count":
        present = sum(step in (Step.MOVED, Step.PRESENT) for step in steps)
        return cls(kind, len(steps), steps.count(Step.ADD), present, steps.count(Step.OMIT))


def remarks_on_users(users: Iterable[PlannedUser]) -> list[Remark]:
    """Return what changes for users."""
    remarks = []
    for each in users:
        name = each.source.username
        if each.step is Step.OMIT:
            remarks.append(Remark(f"User {name}", f"{REMOVED}."))
        if each.step is Step.PRESENT:
            remarks.append(
                Remark(
                    f"User {name}",
                    "exists here: only collections, play records and saved games are added; password and role remain.",
                )
            )
        if each.step is Step.MOVED and each.username != name:
            remarks.append(Remark(f"User {name}", f"is {each.username} here."))
        if each.step is Step.ADD and each.username != name:
            text = f"becomes {each.username}: a user name has 3 to 32 letters or digits, and is unique."
            remarks.append(Remark(f"User {name}", text))
        if each.step is Step.ADD and not each.can_sign_in:
            remarks.append(Remark(f"User {name}", "has no password that can be moved: gets a reset link."))
    return remarks


def with_identities(users: Iterable[SourceUser], issuer: str) -> tuple[SourceUser, ...]:
    """Return users with their ids at the OpenID provider that both servers use; without an issuer as they are."""
    return tuple(
        replace(each, identity=f"{issuer} {each.subject}") if issuer and each.subject and not each.identity else each
        for each in users
    )


def unlinked(users: Iterable[SourceUser]) -> list[Remark]:
    """Return what is to be said of users whose accounts at an OpenID provider are not linked."""
    number = sum(bool(each.subject) and not each.identity for each in users)
    text = f"{number} are not linked. If this server uses the same provider, name it with --openid-issuer."
    return [Remark("OpenID accounts", text)] if number else []


def user_values(source: SourceUser) -> dict[str, Any]:
    """Return the columns of a user that differ from those of a new one."""
    values = {
        "enabled": source.enabled,
        "created": source.created,
        "download_rate": source.download_rate,
        "downloads_at_once": source.downloads_at_once,
    }
    return {name: value for name, value in values.items() if value is not None}


def game_values(source: SourceGame) -> dict[str, Any]:
    """Return the columns of a game that are not metadata, as far as they are known."""
    values = {"featured": source.featured, "created": source.added, "sources": dict(source.sources) or None}
    return {name: value for name, value in values.items() if value is not None}


def play_session_row(played: SourceSession) -> dict[str, Any]:
    """Return the columns of a play session that say when and how long."""
    when = {"started": played.started, "seconds": played.seconds}
    return {"id": played.key, "version_id": None, "device_id": None, **when}


def session_target(user_id: str, session_id: str) -> str:
    """Return how a moved play session is recorded; `session_of` reads it."""
    return f"{user_id}:{session_id}"


def session_of(target: str) -> tuple[str, str]:
    """Return the ids of the user and of the play session."""
    user_id, _, session_id = target.partition(":")
    return user_id, session_id


def permissions_here(named: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which of the permissions of a token exist here and can be granted, and which do not, in order."""
    grantable = {each.value for each in grantable_to(admin=True)}
    names = sorted(set(named))
    return [each for each in names if each in grantable], [each for each in names if each not in grantable]


def layout_of(game: SourceGame, found: str | None) -> str | None:
    """Return the layout of a game's folder: the one that it was imported with, unless only one of the two is in S3.

    ``found`` is how the library here would read the folder.
    """
    kept = game.layout
    if kept is None or (kept is BackendKind.S3) != (found == BackendKind.S3):
        return found
    return kept
