"""Databases of Drop 0.3 and 0.4: their tables as Prisma creates them, with a row for everything that can be moved."""

import hashlib
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

PASSWORD = "correct horse battery"
# Hashes of it, with parameters that are quick to verify.
ARGON2 = "$argon2id$v=19$m=32,t=1,p=4$MDEyMzQ1Njc4OWFiY2RlZg$useOCyYy33KRLpEBCts2qZ5uiOU7S0pxuEg4LbAoP4Y"
BCRYPT = "$2a$04$BC4oC/.tSdtvQN2DiCUBfuWsn0LZWGXQ6m8HBSfypGJ0bcEC/.wyO"
# What the objects of saves contain, oldest first.
SAVES = {"first": b"chamber 1", "second": b"chamber 2"}
# The secrets of API tokens: of ada, of bob, and of the whole server.
TOKENS = {name: f"5b0c1f6e-90c5-4e0b-8f43-2b5f0a7d10{number:02}" for number, name in enumerate(("ada", "bob", "all"))}
INVITATION = "0f9c6d0e-4b1c-4d51-9d35-3c8f6f2a7b11"

_SHARED = """
CREATE TYPE "AuthMec" AS ENUM ('Simple', 'OpenID');
CREATE TYPE "APITokenMode" AS ENUM ('User', 'System', 'Client');
CREATE TYPE "MetadataSource" AS ENUM
    ('Manual', 'GiantBomb', 'Steam', 'PCGamingWiki', 'IGDB', 'Metacritic', 'OpenCritic');
CREATE TYPE "LibraryBackend" AS ENUM ('Filesystem', 'FlatFilesystem');
CREATE TYPE "Platform" AS ENUM ('windows', 'linux', 'macos');
CREATE TABLE "User" ("id" TEXT PRIMARY KEY, "username" TEXT NOT NULL UNIQUE, "admin" BOOLEAN NOT NULL DEFAULT false,
    "enabled" BOOLEAN NOT NULL DEFAULT true, "email" TEXT NOT NULL, "displayName" TEXT NOT NULL,
    "profilePictureObjectId" TEXT NOT NULL);
CREATE TABLE "LinkedAuthMec" ("userId" TEXT NOT NULL REFERENCES "User", "mec" "AuthMec" NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true, "version" INTEGER NOT NULL DEFAULT 1, "credentials" JSONB NOT NULL,
    PRIMARY KEY ("userId", "mec"));
CREATE TABLE "Invitation" ("id" TEXT PRIMARY KEY, "isAdmin" BOOLEAN NOT NULL DEFAULT false, "username" TEXT,
    "email" TEXT, "expires" TIMESTAMP(3) NOT NULL);
CREATE TABLE "APIToken" ("id" TEXT PRIMARY KEY, "token" TEXT NOT NULL UNIQUE, "mode" "APITokenMode" NOT NULL,
    "name" TEXT NOT NULL, "userId" TEXT, "clientId" TEXT, "acls" TEXT[]);
CREATE TABLE "Library" ("id" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "backend" "LibraryBackend" NOT NULL,
    "options" JSONB NOT NULL);
CREATE TABLE "Company" ("id" TEXT PRIMARY KEY, "metadataSource" "MetadataSource" NOT NULL, "metadataId" TEXT NOT NULL,
    "mName" TEXT NOT NULL);
CREATE TABLE "_developers" ("A" TEXT NOT NULL, "B" TEXT NOT NULL, PRIMARY KEY ("A", "B"));
CREATE TABLE "_publishers" ("A" TEXT NOT NULL, "B" TEXT NOT NULL, PRIMARY KEY ("A", "B"));
CREATE TABLE "GameTag" ("id" TEXT PRIMARY KEY, "name" TEXT NOT NULL UNIQUE);
CREATE TABLE "_GameToGameTag" ("A" TEXT NOT NULL, "B" TEXT NOT NULL, PRIMARY KEY ("A", "B"));
CREATE TABLE "Game" ("id" TEXT PRIMARY KEY, "metadataSource" "MetadataSource" NOT NULL, "metadataId" TEXT NOT NULL,
    "created" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "mName" TEXT NOT NULL,
    "mShortDescription" TEXT NOT NULL, "mDescription" TEXT NOT NULL, "mReleased" TIMESTAMP(3) NOT NULL,
    "featured" BOOLEAN NOT NULL DEFAULT false, "mIconObjectId" TEXT NOT NULL, "mBannerObjectId" TEXT NOT NULL,
    "mCoverObjectId" TEXT NOT NULL, "mImageCarouselObjectIds" TEXT[], "mImageLibraryObjectIds" TEXT[],
    "libraryId" TEXT REFERENCES "Library", "libraryPath" TEXT NOT NULL);
CREATE TABLE "GameRating" ("id" TEXT PRIMARY KEY, "metadataSource" "MetadataSource" NOT NULL,
    "metadataId" TEXT NOT NULL, "mReviewCount" INTEGER NOT NULL, "mReviewRating" DOUBLE PRECISION NOT NULL,
    "mReviewHref" TEXT, "gameId" TEXT NOT NULL);
CREATE TABLE "Collection" ("id" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "isDefault" BOOLEAN NOT NULL DEFAULT false,
    "userId" TEXT NOT NULL REFERENCES "User");
CREATE TABLE "CollectionEntry" ("collectionId" TEXT NOT NULL REFERENCES "Collection", "gameId" TEXT NOT NULL,
    PRIMARY KEY ("collectionId", "gameId"));
CREATE TABLE "Playtime" ("gameId" TEXT NOT NULL, "userId" TEXT NOT NULL, "seconds" INTEGER NOT NULL,
    "updatedAt" TIMESTAMPTZ(6) NOT NULL, "createdAt" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY ("gameId", "userId"));
CREATE TABLE "SaveSlot" ("gameId" TEXT NOT NULL, "userId" TEXT NOT NULL, "index" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "playtime" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "lastUsedClientId" TEXT, "historyObjectIds" TEXT[], "historyChecksums" TEXT[],
    PRIMARY KEY ("gameId", "userId", "index"));
"""
_ONLY_03 = """
CREATE TABLE "GameVersion" ("gameId" TEXT NOT NULL REFERENCES "Game", "versionName" TEXT NOT NULL,
    "created" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "platform" "Platform" NOT NULL,
    "launchCommand" TEXT NOT NULL DEFAULT '', "launchArgs" TEXT[], "setupCommand" TEXT NOT NULL DEFAULT '',
    "setupArgs" TEXT[], "onlySetup" BOOLEAN NOT NULL DEFAULT false, "umuIdOverride" TEXT,
    "dropletManifest" JSONB NOT NULL, "versionIndex" INTEGER NOT NULL, "delta" BOOLEAN NOT NULL DEFAULT false,
    PRIMARY KEY ("gameId", "versionName"));
"""
_ONLY_04 = """
ALTER TABLE "APIToken" ADD COLUMN "expiresAt" TIMESTAMP(3);
CREATE TYPE "GameType" AS ENUM ('Game', 'Emulator', 'Dependency');
CREATE TYPE "AgeRatingOrganization" AS ENUM ('ESRB', 'PEGI', 'CERO', 'USK', 'GRAC', 'ClassInd', 'ACB');
ALTER TABLE "Game" ADD COLUMN "type" "GameType" NOT NULL DEFAULT 'Game';
CREATE TABLE "GameAgeRating" ("id" TEXT PRIMARY KEY, "organization" "AgeRatingOrganization" NOT NULL,
    "rating" TEXT NOT NULL, "ratingCoverUrl" TEXT, "gameId" TEXT NOT NULL);
CREATE TABLE "GameVersion" ("gameId" TEXT NOT NULL REFERENCES "Game", "versionId" TEXT PRIMARY KEY,
    "displayName" TEXT, "versionPath" TEXT, "created" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "onlySetup" BOOLEAN NOT NULL DEFAULT false, "dropletManifest" JSONB NOT NULL, "fileList" TEXT[],
    "negativeFileList" TEXT[], "versionIndex" INTEGER NOT NULL, "delta" BOOLEAN NOT NULL DEFAULT false);
CREATE TABLE "LaunchConfiguration" ("launchId" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "command" TEXT NOT NULL,
    "platform" "Platform" NOT NULL, "emulatorId" TEXT, "emulatorSuggestions" TEXT[], "umuIdOverride" TEXT,
    "umuStoreOverride" TEXT, "versionId" TEXT NOT NULL REFERENCES "GameVersion");
CREATE TABLE "SetupConfiguration" ("setupId" TEXT PRIMARY KEY, "command" TEXT NOT NULL, "platform" "Platform" NOT NULL,
    "versionId" TEXT NOT NULL REFERENCES "GameVersion");
CREATE TABLE "UserGroup" ("id" TEXT PRIMARY KEY, "name" TEXT NOT NULL UNIQUE);
"""


class DropDatabase:
    """A Drop server's database; its library is at ``/library`` there."""

    def __init__(self, address: str, *, release: str) -> None:
        self.address, self.release = address, release
        self._connection = psycopg.connect(address, autocommit=True)
        self._connection.execute((_SHARED + (_ONLY_04 if release == "0.4" else _ONLY_03)).encode())
        self.insert("Library", id="lib", name="Games", backend="Filesystem", options=Jsonb({"baseDir": "/library"}))

    def insert(self, table: str, **values: Any) -> None:
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        )
        self._connection.execute(statement, list(values.values()))

    def user(self, name: str, *, admin: bool = False, enabled: bool = True, picture: str = "", **password: Any) -> None:
        """Add a user whose id is the name; ``password`` are columns of the sign-in method, if there is one."""
        email = f"{name}@example.org"
        identity = {"id": name, "username": name, "email": email, "displayName": name.title()}
        self.insert("User", **identity, admin=admin, enabled=enabled, profilePictureObjectId=picture)
        if password:
            self.insert("LinkedAuthMec", userId=name, **password)

    def game(self, name: str, **values: Any) -> None:
        """Add a game whose id and folder are the name in lower case."""
        key = name.lower()
        texts = {"mName": name, "mShortDescription": f"{name}!", "mDescription": f"# {name}"}
        images = {"mIconObjectId": "", "mBannerObjectId": "", "mCoverObjectId": "", "mImageCarouselObjectIds": []}
        place = {"libraryId": "lib", "libraryPath": key, "mReleased": "2007-10-10"}
        identity = {"id": key, "metadataSource": "Manual", "metadataId": key}
        self.insert("Game", **{**identity, **texts, **images, **place, **values})

    def version(self, game: str, name: str, *, index: int = 0, program: str = "game", **values: Any) -> None:
        """Add a version for Linux with a program."""
        shared = {"gameId": game, "dropletManifest": Jsonb("{}"), "versionIndex": index, **values}
        if self.release == "0.3":
            command = {"launchCommand": program, "launchArgs": ["-w", "a b"]}
            self.insert("GameVersion", versionName=name, platform="linux", **command, **shared)
            return
        key = f"{game}-{name}"
        self.insert("GameVersion", versionId=key, versionPath=name, **shared)
        launch = {"launchId": key, "name": "Play", "command": f"{program} -w 'a b'", "platform": "linux"}
        self.insert("LaunchConfiguration", **launch, versionId=key)

    def collection(self, user: str, name: str, *games: str, default: bool = False) -> None:
        key = f"{user}-{name}"
        self.insert("Collection", id=key, name=name, isDefault=default, userId=user)
        for game in games:
            self.insert("CollectionEntry", collectionId=key, gameId=game)

    def played(self, user: str, game: str, seconds: int) -> None:
        """Set how long a user has played a game."""
        self._connection.execute('DELETE FROM "Playtime" WHERE "userId" = %s AND "gameId" = %s', [user, game])
        self.insert("Playtime", gameId=game, userId=user, seconds=seconds, updatedAt="2026-01-02T03:04:05Z")

    def close(self) -> None:
        self._connection.close()


def household(address: str, *, release: str) -> DropDatabase:
    """Build a server with people, games and everything around them."""
    drop = DropDatabase(address, release=release)
    drop.user("ada", admin=True, picture="portrait", mec="Simple", version=2, credentials=Jsonb(ARGON2))
    drop.user("bob", mec="Simple", version=1, credentials=Jsonb(["bob", BCRYPT]))
    drop.user("carla.m", mec="OpenID", credentials=Jsonb({"sub": "carla"}))
    drop.user("dora", enabled=False, mec="Simple", version=2, credentials=Jsonb(ARGON2))
    drop.game("Portal", metadataSource="Steam", metadataId="400", featured=True, mCoverObjectId="cover")
    drop.game("Doom")
    drop.game("Gone")
    drop.version("portal", "1.0")
    drop.version("portal", "1.1", index=1)
    drop.version("doom", "1993", program="not-there")
    drop.insert("Company", id="valve", metadataSource="Steam", metadataId="1", mName="Valve")
    drop.insert("_developers", A="valve", B="portal")
    drop.insert("GameTag", id="puzzle", name="Puzzle")
    drop.insert("_GameToGameTag", A="portal", B="puzzle")
    rating = {"mReviewCount": 12, "mReviewRating": 0.9}
    drop.insert("GameRating", id="r", metadataSource="Metacritic", metadataId="p", **rating, gameId="portal")
    drop.collection("ada", "Library", "portal", default=True)
    drop.collection("bob", "Rainy days", "portal", "doom", "gone")
    drop.insert("Invitation", id=INVITATION, username="eve", expires="2090-01-01")
    drop.played("ada", "portal", 3600)
    for index in (0, 7):
        checksums = [hashlib.sha256(each).hexdigest() for each in SAVES.values()]
        history = {"historyObjectIds": [f"{key}-{index}" for key in SAVES], "historyChecksums": checksums}
        drop.insert("SaveSlot", gameId="portal", userId="bob", index=index, **history)
    _tokens(drop)
    return drop


def _tokens(drop: DropDatabase) -> None:
    """Add a token with a permission that does not exist here, one with no other, one of the server, and a client's."""
    shown = ["store:read", "news:purge"]
    for key, mode, user, acls in (
        ("ada", "User", "ada", shown),
        ("bob", "User", "bob", ["news:purge"]),
        ("all", "System", None, ["import:game:read"]),
    ):
        expires = {"expiresAt": "2090-01-01"} if drop.release == "0.4" else {}
        values = {"token": TOKENS[key], "mode": mode, "name": f"For {key}", "userId": user, "acls": acls}
        drop.insert("APIToken", id=key, **values, **expires)
    drop.insert("APIToken", id="client", token="client", mode="Client", name="Drop", userId="ada", acls=shown)


def library(folder: Path) -> Path:
    """Make the library of the household, without the game that is gone."""
    for place in ("portal/1.0/game", "portal/1.1/game", "doom/1993/doom.exe"):
        program = folder / place
        program.parent.mkdir(parents=True)
        program.write_bytes(b"MZ" + place.encode() + bytes(60))
        program.chmod(0o755)
    for version in ("1.0", "1.1"):
        (folder / "portal" / version / "same.dat").write_bytes(bytes(100_000))
    (folder / "portal/1.1/added.dat").write_bytes(b"turrets")
    return folder
