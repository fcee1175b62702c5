"""Drop 0.3 and 0.4, with PostgreSQL.

Both have the same tables except for versions: those of 0.3 have their commands in columns beside
``GameVersion.versionName``, those of 0.4 with ``GameVersion.versionPath`` in ``LaunchConfiguration`` and
``SetupConfiguration``.
Tables between two others are Prisma's: ``A`` is the id of the table whose name is first in the alphabet.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.identifiers import digest
from playdock.metadata.game_metadata import AgeRating, GameMetadata, RatingFact, Role, TagFact, TagKind
from playdock.metadata.providers import MANUAL
from playdock.other_servers import rules
from playdock.other_servers.model import (
    MAX_SLOTS,
    Command,
    Omission,
    SourceCollection,
    SourceGame,
    SourceImage,
    SourceInvitation,
    SourceLibrary,
    SourcePlayRecord,
    SourceSave,
    SourceSaveSlot,
    SourceServer,
    SourceToken,
    SourceUser,
    SourceVersion,
)
from playdock.other_servers.queries import Row, SourceDatabase, by_key

NAME = "Drop 0.3 or 0.4"
# The version of the credentials that are bcrypt hashes; later ones are Argon2.
_BCRYPT_VERSION = 1
# Games of other types are programs that run or complete games.
_GAME = "Game"
# A token of a client has another mode.
_TOKEN_MODES = ("User", "System")
_TOKEN_NAME_CHARACTERS = 64
_ROLES = {"mIconObjectId": Role.ICON, "mBannerObjectId": Role.BANNER, "mCoverObjectId": Role.COVER}

_Rows: TypeAlias = Mapping[Any, Sequence[Row]]


def read(source: SourceDatabase) -> SourceServer:
    """Return what a Drop server has.

    Raises:
        SourceUnsupported: the database has not the tables of a supported release.
    """
    source.require(
        NAME, ("User", "username"), ("LinkedAuthMec", "mec"), ("Library", "options"), ("Game", "libraryPath")
    )
    is_new = source.has("GameVersion", "versionPath")
    versions = _versions_of_04(source) if is_new else _versions_of_03(source)
    libraries = _libraries(source)
    games = _games(source, {library.key for library in libraries}, versions)
    return SourceServer(
        name="Drop 0.4" if is_new else "Drop 0.3",
        users=_users(source),
        libraries=libraries,
        games=games,
        collections=_collections(source, {game.key for game in games}),
        invitations=_invitations(source),
        play_records=_play_records(source, {game.key for game in games}),
        save_slots=_save_slots(source, {game.key for game in games}),
        tokens=_tokens(source),
        omissions=_omissions(source, games),
    )


def _users(source: SourceDatabase) -> tuple[SourceUser, ...]:
    methods = by_key(source.rows("LinkedAuthMec", "userId", "mec", "enabled", "version", "credentials"), "userId")
    picture = "profilePictureObjectId" if source.has("User", "profilePictureObjectId") else "profilePicture"
    rows = source.rows("User", "id", "username", "admin", "enabled", "email", "displayName", picture)
    return tuple(
        SourceUser(
            key=row["id"],
            username=rules.line(row["username"]),
            display_name=rules.line(row["displayName"]),
            email=rules.line(row["email"]),
            admin=bool(row["admin"]),
            enabled=bool(row["enabled"]),
            password=_password(methods.get(row["id"], ())),
            subject=_subject(methods.get(row["id"], ())),
            picture=_object(row[picture]),
        )
        for row in sorted(rows, key=lambda row: str(row["username"]))
        # Drop's own account, which nobody signs in to.
        if row["id"] != "system"
    )


def _password(methods: Sequence[Row]) -> str:
    """Return the hash of the enabled password, empty if there is none: bcrypt in a list, or a text."""
    for method in methods:
        if method["mec"] == "Simple" and method["enabled"]:
            stored = rules.structure(method["credentials"]) or method["credentials"]
            if method["version"] == _BCRYPT_VERSION:
                stored = stored[1] if isinstance(stored, list) and len(stored) > 1 else ""
            return stored if isinstance(stored, str) else ""
    return ""


def _subject(methods: Sequence[Row]) -> str:
    """Return the id at the OpenID provider, empty if the account is not linked."""
    stored = next((rules.structure(each["credentials"]) for each in methods if each["mec"] == "OpenID"), None)
    return rules.line(stored.get("sub")) if isinstance(stored, dict) else ""


def _layout_of(backend: str) -> BackendKind:
    return BackendKind.FLAT_FILESYSTEM if backend == "FlatFilesystem" else BackendKind.FILESYSTEM


def _libraries(source: SourceDatabase) -> tuple[SourceLibrary, ...]:
    return tuple(
        SourceLibrary(row["id"], rules.line(row["name"]), str(folder), layout=_layout_of(row["backend"]))
        for row in source.rows("Library", "id", "name", "backend", "options")
        if (folder := (rules.structure(row["options"]) or {}).get("baseDir"))
    )


def _games(
    source: SourceDatabase, libraries: set[str], versions: Mapping[str, tuple[SourceVersion, ...]]
) -> tuple[SourceGame, ...]:
    rows = source.rows(
        "Game",
        *("id", "metadataSource", "metadataId", "type", "mName", "mShortDescription", "mDescription", "mReleased"),
        *("featured", "libraryId", "libraryPath", "mImageCarouselObjectIds", *_ROLES),
    )
    described = _Described(source)
    return tuple(
        SourceGame(
            key=row["id"],
            library=row["libraryId"],
            path=str(row["libraryPath"]),
            facts=described.facts(row),
            source=rules.provider(row["metadataSource"]),
            metadata_id=rules.line(row["metadataId"]),
            images=_images(row),
            featured=bool(row["featured"]),
            versions=versions.get(row["id"], ()),
        )
        for row in sorted(rows, key=lambda row: str(row["mName"]))
        if row["libraryId"] in libraries and row["type"] in (None, _GAME)
    )


class _Described:
    """The rows of other tables that describe games, by the id of the game."""

    def __init__(self, source: SourceDatabase) -> None:
        companies = {row["id"]: rules.line(row["mName"]) for row in source.rows("Company", "id", "mName")}
        # A table of tags was renamed in 0.3.
        tags_table, between = ("GameTag", "_GameToGameTag") if source.has("GameTag") else ("Tag", "_GameToTag")
        tags = {row["id"]: rules.line(row["name"]) for row in source.rows(tags_table, "id", "name")}
        self._developers = _names(source.rows("_developers", "A", "B"), companies, of="B", named="A")
        self._publishers = _names(source.rows("_publishers", "A", "B"), companies, of="B", named="A")
        self._tags = _names(source.rows(between, "A", "B"), tags, of="A", named="B")
        self._ratings: _Rows = by_key(
            source.rows("GameRating", "gameId", "metadataSource", "mReviewCount", "mReviewRating", "mReviewHref"),
            "gameId",
        )
        self._age_ratings: _Rows = by_key(source.rows("GameAgeRating", "gameId", "organization", "rating"), "gameId")

    def facts(self, row: Row) -> GameMetadata:
        key = row["id"]
        known = rules.provider(row["metadataSource"])
        return GameMetadata(
            name=rules.line(row["mName"]) or rules.line(row["libraryPath"]),
            short=rules.short(row["mShortDescription"]),
            description=rules.text(row["mDescription"]),
            released=rules.released(row["mReleased"]),
            developers=self._developers.get(key, ()),
            publishers=self._publishers.get(key, ()),
            tags=tuple(TagFact(TagKind.GENRE, name) for name in self._tags.get(key, ())),
            ratings=tuple(_rating(each) for each in self._ratings.get(key, ())),
            age_ratings=tuple(
                AgeRating(str(each["organization"]), rules.line(each["rating"]))
                for each in self._age_ratings.get(key, ())
            ),
            external_ids={} if known == MANUAL else {known: rules.line(row["metadataId"])},
        )


def _names(rows: Sequence[Row], named_by: Mapping[Any, str], *, of: str, named: str) -> dict[str, tuple[str, ...]]:
    """Return the names that rows between two tables give to the rows of one of them."""
    return {
        key: rules.unique(sorted(named_by[row[named]] for row in found if named_by.get(row[named])))
        for key, found in by_key(rows, of).items()
    }


def _rating(row: Row) -> RatingFact:
    score = min(max(float(row["mReviewRating"] or 0), 0.0), 1.0)
    return RatingFact(str(row["metadataSource"]), score, row["mReviewCount"] or None, rules.line(row["mReviewHref"]))


def _images(row: Row) -> tuple[SourceImage, ...]:
    single = [SourceImage(role, _object(row[name])) for name, role in _ROLES.items()]
    carousel = [SourceImage(Role.CAROUSEL, _object(key)) for key in row["mImageCarouselObjectIds"] or ()]
    return tuple(each for each in single + carousel if each.path)


def _object(key: Any) -> str:
    """Return where an object is in the folder with objects."""
    name = rules.file_name(key)
    return f"objects/{name}" if name else ""


def _versions_of_03(source: SourceDatabase) -> dict[str, tuple[SourceVersion, ...]]:
    rows = source.rows(
        "GameVersion",
        *("gameId", "versionName", "platform", "launchCommand", "launchArgs", "setupCommand", "setupArgs"),
        *("onlySetup", "umuIdOverride", "versionIndex", "delta"),
    )
    return {
        game: tuple(
            SourceVersion(
                name=str(row["versionName"]),
                platform=rules.platform(row["platform"]),
                launches=(rules.command(row["launchCommand"], row["launchArgs"] or ()),)
                if row["launchCommand"]
                else (),
                setup=rules.command(row["setupCommand"], row["setupArgs"] or ()),
                only_setup=bool(row["onlySetup"]),
                delta=bool(row["delta"]),
                compat_id=row["umuIdOverride"] or None,
            )
            for row in sorted(found, key=lambda row: int(row["versionIndex"]))
        )
        for game, found in by_key(rows, "gameId").items()
    }


def _versions_of_04(source: SourceDatabase) -> dict[str, tuple[SourceVersion, ...]]:
    commands = _Commands(source)
    rows = source.rows("GameVersion", "gameId", "versionId", "versionPath", "onlySetup", "versionIndex", "delta")
    return {
        game: tuple(
            _version_of_04(row, *commands.chosen(row["versionId"]))
            for row in sorted(found, key=lambda row: int(row["versionIndex"]))
            if row["versionPath"]
        )
        for game, found in by_key(rows, "gameId").items()
    }


class _Commands:
    """The commands of the versions of 0.4. A version here has one platform, one command and one setup."""

    def __init__(self, source: SourceDatabase) -> None:
        # The order of rows is not defined.
        launches = source.rows(
            *("LaunchConfiguration", "launchId", "versionId", "command", "platform", "umuIdOverride", "emulatorId")
        )
        setups = source.rows("SetupConfiguration", "setupId", "versionId", "command", "platform")
        self._launches: _Rows = by_key(sorted(launches, key=lambda row: str(row["launchId"])), "versionId")
        self._setups: _Rows = by_key(sorted(setups, key=lambda row: str(row["setupId"])), "versionId")

    def chosen(self, version: Any) -> tuple[Row | None, Row | None]:
        """Return the first command of a version, and the first setup for the same platform."""
        launch = next(iter(self._launches.get(version, ())), None)
        setups = self._setups.get(version, ())
        return launch, next((each for each in setups if launch is None or each["platform"] == launch["platform"]), None)

    def additional_launches(self) -> int:
        return sum(len(each) - 1 for each in self._launches.values())

    def emulated(self) -> int:
        return sum(bool(each["emulatorId"]) for found in self._launches.values() for each in found)

    def additional_setups(self) -> int:
        return sum(len(each) - (self.chosen(key)[1] is not None) for key, each in self._setups.items())


def _version_of_04(row: Row, launch: Row | None, setup: Row | None) -> SourceVersion:
    platform = (launch or setup or {}).get("platform")
    return SourceVersion(
        name=str(row["versionPath"]),
        platform=rules.platform(platform),
        launches=rules.commands(launch["command"]) if launch else (),
        setup=next(iter(rules.commands(setup["command"])), Command()) if setup else Command(),
        only_setup=bool(row["onlySetup"]),
        delta=bool(row["delta"]),
        compat_id=(launch["umuIdOverride"] or None) if launch else None,
    )


def _collections(source: SourceDatabase, games: set[str]) -> tuple[SourceCollection, ...]:
    entries = by_key(source.rows("CollectionEntry", "collectionId", "gameId"), "collectionId")
    return tuple(
        SourceCollection(
            key=row["id"],
            user=row["userId"],
            name=rules.line(row["name"], at_most=128),
            is_default=bool(row["isDefault"]),
            games=rules.unique([each["gameId"] for each in entries.get(row["id"], ()) if each["gameId"] in games]),
        )
        for row in source.rows("Collection", "id", "userId", "name", "isDefault")
    )


def _invitations(source: SourceDatabase) -> tuple[SourceInvitation, ...]:
    return tuple(
        SourceInvitation(row["id"], bool(row["isAdmin"]), row["username"], row["email"], expires)
        for row in source.rows("Invitation", "id", "isAdmin", "username", "email", "expires")
        if (expires := rules.moment(row["expires"]))
    )


def _play_records(source: SourceDatabase, games: set[str]) -> tuple[SourcePlayRecord, ...]:
    """Return the play times, whose rows are changed when a game has ended."""
    rows = source.rows("Playtime", "userId", "gameId", "seconds", "updatedAt")
    return rules.play_records(
        SourcePlayRecord(
            row["userId"],
            row["gameId"],
            rules.total(f"drop:{row['gameId']}", row["seconds"], row["updatedAt"]),
        )
        for row in rows
        if row["gameId"] in games
    )


def _save_slots(source: SourceDatabase, games: set[str]) -> tuple[SourceSaveSlot, ...]:
    """Return the slots that have saves. The history has the ids of objects, newest last, and their SHA-256."""
    rows = source.rows("SaveSlot", "userId", "gameId", "index", "historyObjectIds", "historyChecksums")
    return tuple(
        SourceSaveSlot(row["userId"], row["gameId"], row["index"], saves)
        for row in sorted(rows, key=lambda row: (str(row["userId"]), str(row["gameId"]), int(row["index"])))
        if row["gameId"] in games and row["index"] in range(MAX_SLOTS) and (saves := _saves(row))
    )


def _saves(row: Row) -> tuple[SourceSave, ...]:
    history = zip(row["historyObjectIds"] or (), row["historyChecksums"] or (), strict=False)
    return tuple(
        SourceSave(key, _object(key), str(checksum).lower(), position)
        for position, (key, checksum) in enumerate(history, start=1)
        if _object(key)
    )


def _tokens(source: SourceDatabase) -> tuple[SourceToken, ...]:
    """Return the API tokens. Clients have tokens too, which they get again when they sign in."""
    rows = source.rows("APIToken", "id", "token", "mode", "name", "userId", "acls", "expiresAt")
    return tuple(
        SourceToken(
            key=row["id"],
            user=row["userId"] or "",
            name=rules.line(row["name"], at_most=_TOKEN_NAME_CHARACTERS),
            digest=digest(row["token"]),
            permissions=tuple(f"{row['mode'].lower()}:{each}" for each in row["acls"] or ()),
            expires=rules.moment(row["expiresAt"]),
        )
        for row in sorted(rows, key=lambda row: str(row["name"]))
        if row["mode"] in _TOKEN_MODES
    )


def _omissions(source: SourceDatabase, games: Sequence[SourceGame]) -> tuple[Omission, ...]:
    types = [row["type"] for row in source.rows("Game", "type")]
    commands = _Commands(source)
    versions = source.rows("GameVersion", "versionPath", "negativeFileList")
    without_folder = sum(not row["versionPath"] for row in versions) if source.has("GameVersion", "versionPath") else 0
    deleted = sum(len(row["negativeFileList"] or ()) for row in versions)
    slots = sum(row["index"] not in range(MAX_SLOTS) for row in source.rows("SaveSlot", "index"))
    tools = sum(each not in (None, _GAME) for each in types)
    return rules.omissions(
        ("emulators and dependencies", tools, "Playdock has only games."),
        ("games without a library", len(types) - tools - len(games), "their folders are unknown."),
        ("versions without a folder", without_folder, "their files are in no library."),
        ("launch commands of emulators", commands.emulated(), "they are moved as if the game were a program."),
        ("files that deltas delete", deleted, "a delta deletes nothing here: import such versions as full ones."),
        ("additional launch commands", commands.additional_launches(), "a version has one command here."),
        (
            "additional setup commands",
            commands.additional_setups(),
            "a version has one, for the platform of its launch.",
        ),
        ("groups", source.count("UserGroup"), "Playdock has none: all users see all games, whatever their group."),
        ("save slots", slots, f"a game has {MAX_SLOTS} slots for each user here."),
        ("screenshots of players", source.count("Screenshot"), "the server stores none."),
        ("news articles", source.count("Article"), "they are not read."),
        ("devices", source.count("Client"), "Drop's clients sign in again, with the address of this server."),
    )
