"""The records of exports, from rows, and what is left out."""

from datetime import datetime

from playdock import stored
from playdock.content.programs import Platform
from playdock.domain.game_metadata.queries import CompleteGame, ShownPicture
from playdock.domain.game_requests.rules import RequestStatus
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of, is_managed, rules_of
from playdock.domain.play_records.rules import PlayStatus
from playdock.features.accounts.queries import OPENID, SIMPLE
from playdock.features.moving_out.queries import (
    CollectionRows,
    DeviceRows,
    PlayRows,
    PreferenceRows,
    SaveSlotRows,
    UserRows,
)
from playdock.metadata.game_metadata import Precision, Role, TagKind
from playdock.models import Game, GameRequest, Library, Version
from playdock.other_servers.export_format import (
    IMAGES,
    SAVES,
    ExportedAgeRating,
    ExportedCollection,
    ExportedDevice,
    ExportedEntry,
    ExportedGame,
    ExportedImage,
    ExportedInstallation,
    ExportedLibrary,
    ExportedPlayRecord,
    ExportedPreferences,
    ExportedRating,
    ExportedRelease,
    ExportedRequest,
    ExportedRules,
    ExportedSave,
    ExportedSaveSlot,
    ExportedSession,
    ExportedTag,
    ExportedUser,
    ExportedVersion,
    ExportedWebsite,
    NotExported,
)
from playdock.stored import StoredAgeRating, StoredRating, StoredWebsite

_CREDENTIALS = NotExported(
    what="Sessions, devices, API tokens, signed links, private feeds, invitations and reset links",
    reason="they are secrets. Sign in and create them again",
)
LEFT_OUT = (
    _CREDENTIALS,
    NotExported(
        what="Settings, server profile, webhooks and the keys of metadata providers",
        reason="they belong to the installation. Set them again",
    ),
    NotExported(
        what="Requests for games, news, descriptions of companies, notifications, tasks, the audit log and statistics",
        reason="they cannot be imported. A backup has them",
    ),
    NotExported(what="Files of games", reason="they are in the folders of the libraries. Copy these"),
    NotExported(what="Images that no game shows", reason="only the images that games show are exported"),
)
LEFT_OUT_OF_A_PERSONS = (
    NotExported(what="The password, sessions, API tokens, signed links and private feeds", reason="they are secrets"),
    NotExported(
        what="The URL of the chat service, and where browsers receive notifications",
        reason="with them, anybody could send messages",
    ),
    NotExported(what="Notifications", reason="they are deleted after some weeks. The app lists them"),
    NotExported(what="Games", reason="they belong to the server. The other records name them"),
)


def image_path(object_id: str) -> str:
    """Return where the image with an id is in an export. Images are stored as WebP."""
    return f"{IMAGES}/{object_id}.webp"


def save_path(object_id: str) -> str:
    """Return where the save with an id is in an export."""
    return f"{SAVES}/{object_id}.save"


def user_record(rows: UserRows, *, with_credentials: bool) -> ExportedUser:
    user = rows.user
    password, identity = rows.methods.get(SIMPLE), rows.methods.get(OPENID)
    return ExportedUser(
        id=user.id,
        username=user.username,
        display_name=user.display_name,
        email=user.email,
        admin=user.admin,
        enabled=user.enabled,
        created=user.created,
        download_rate=user.download_rate,
        downloads_at_once=user.downloads_at_once,
        picture=image_path(user.picture_id),
        password=password.secret if password and with_credentials else None,
        identity=identity.subject if identity and with_credentials else None,
    )


def library_record(row: Library) -> ExportedLibrary:
    rules = rules_of(row)
    return ExportedLibrary(
        id=row.id,
        name=row.name,
        backend=BackendKind(row.backend),
        folder=base_dir_of(row),
        managed=is_managed(row),
        rules=ExportedRules(
            import_games=rules.import_games, import_versions=rules.import_versions, ignore=rules.ignore
        ),
    )


def game_record(rows: CompleteGame) -> ExportedGame:
    game = rows.game
    return ExportedGame(
        id=game.id,
        library=game.library_id,
        path=game.path,
        layout=BackendKind(game.layout) if game.layout else None,
        name=game.name,
        short_description=game.short_description,
        description=game.description,
        released=_release(game),
        featured=game.featured,
        developers=tuple(rows.companies_as("developer")),
        publishers=tuple(rows.companies_as("publisher")),
        tags=tuple(ExportedTag(kind=TagKind(tag.kind), name=tag.name) for tag in rows.tags),
        ratings=tuple(
            ExportedRating(source=each.source, score=each.score, count=each.count, url=each.url)
            for each in stored.decode_list(game.ratings, StoredRating)
        ),
        age_ratings=tuple(
            ExportedAgeRating(board=each.board, value=each.value, descriptors=each.descriptors)
            for each in stored.decode_list(game.age_ratings, StoredAgeRating)
        ),
        websites=tuple(
            ExportedWebsite(kind=each.kind, url=each.url) for each in stored.decode_list(game.websites, StoredWebsite)
        ),
        external_ids=game.external_ids,
        source=game.metadata_source,
        source_id=game.metadata_id,
        sources=game.sources,
        added=game.created,
        images=tuple(map(_image, rows.pictures)),
        versions=tuple(map(_version, rows.versions)),
    )


def _release(game: Game) -> ExportedRelease | None:
    if game.released is None:
        return None
    return ExportedRelease(date=game.released, precision=Precision(game.release_precision or Precision.DAY))


def _image(picture: ShownPicture) -> ExportedImage:
    return ExportedImage(
        role=Role(picture.role),
        file=image_path(picture.id),
        source=picture.source,
        address=picture.address,
        credit=picture.credit,
    )


def _version(version: Version) -> ExportedVersion:
    return ExportedVersion(
        name=version.name,
        beside=version.beside,
        platform=Platform(version.platform),
        delta=version.delta,
        only_setup=version.only_setup,
        launch=version.launch,
        launch_args=version.launch_args,
        setup=version.setup,
        setup_args=version.setup_args,
        compat_id=version.compat_id,
        size=version.size,
        created=version.created,
    )


def collection_record(rows: CollectionRows) -> ExportedCollection:
    row = rows.collection
    return ExportedCollection(
        id=row.id,
        user=row.user_id,
        name=row.name,
        is_default=row.is_default,
        created=row.created,
        games=tuple(ExportedEntry(game=game, name=name, added=added) for game, name, added in rows.games),
    )


def device_record(rows: DeviceRows) -> ExportedDevice:
    return ExportedDevice(
        id=rows.device.id,
        name=rows.device.name,
        platform=rows.device.platform,
        created=rows.device.created,
        games=tuple(ExportedInstallation(game=game, name=name, version=found) for game, name, found in rows.games),
    )


def play_record(rows: PlayRows) -> ExportedPlayRecord:
    record = rows.record
    return ExportedPlayRecord(
        user=rows.user_id,
        game=rows.game_id,
        name=rows.game_name,
        status=PlayStatus(record.status) if record and record.status else None,
        note=record.note if record else "",
        sessions=tuple(
            ExportedSession(id=each.id, started=each.started, seconds=each.seconds) for each in rows.sessions
        ),
    )


def save_slot_record(rows: SaveSlotRows) -> ExportedSaveSlot:
    return ExportedSaveSlot(
        user=rows.slot.user_id,
        game=rows.slot.game_id,
        name=rows.game_name,
        slot=rows.slot.number,
        saves=tuple(
            ExportedSave(
                id=each.id,
                file=save_path(each.id),
                sha256=each.checksum,
                size=each.size,
                position=each.position,
                aside=each.aside,
                device=each.device,
                created=each.created,
            )
            for each in rows.saves
        ),
    )


def request_record(request: GameRequest, *, user_id: str, voted: datetime) -> ExportedRequest:
    return ExportedRequest(
        id=request.id,
        name=request.name,
        year=request.year or None,
        source=request.source_id,
        source_id=request.metadata_id,
        own=request.user_id == user_id,
        voted=voted,
        created=request.created,
        status=RequestStatus(request.status),
        comment=request.comment,
        answered=request.answered,
        game=request.game_id,
    )


def preferences_record(rows: PreferenceRows) -> ExportedPreferences:
    """Return the record of preferences, without the URL of the chat service, which contains secrets."""
    return ExportedPreferences(
        user=rows.user_id,
        platforms=rows.wanted.platforms,
        tags=tuple(ExportedTag(kind=TagKind(tag.kind), name=tag.name) for tag in rows.tags),
        muted=rows.wanted.muted,
        channels=rows.delivery.channels,
        quiet_from=rows.delivery.quiet_from or None,
        quiet_until=rows.delivery.quiet_until or None,
        digest_at=rows.delivery.digest_at or None,
        time_zone=rows.delivery.time_zone,
        language=rows.delivery.language,
        verified_email=rows.verified_email,
    )
