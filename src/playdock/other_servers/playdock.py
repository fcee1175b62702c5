"""An export of another Playdock server."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.storage_failures import system_error
from playdock.metadata.game_metadata import AgeRating, GameMetadata, RatingFact, ReleaseDate, TagFact, Website
from playdock.metadata.providers import MANUAL
from playdock.other_servers import export_format
from playdock.other_servers.errors import ExportDamaged, ExportUnknown
from playdock.other_servers.export_format import (
    Exported,
    ExportedCollection,
    ExportedGame,
    ExportedLibrary,
    ExportedPlayRecord,
    ExportedSaveSlot,
    ExportedUser,
    ExportInfo,
    Scope,
)
from playdock.other_servers.model import (
    Command,
    SourceCollection,
    SourceGame,
    SourceImage,
    SourceLibrary,
    SourcePlayRecord,
    SourceSave,
    SourceSaveSlot,
    SourceServer,
    SourceSession,
    SourceUser,
    SourceVersion,
)

_T = TypeVar("_T", bound=Exported)


class _Kind(msgspec.Struct, frozen=True):
    """The members of `export.json` that all versions of the format have."""

    format: str = ""
    version: int = 0


def read(folder: Path) -> SourceServer:
    """Return what an export contains. All records are checked.

    Raises:
        ExportUnknown: the folder is not an export of a server in a known version of the format.
        ExportDamaged: a file is missing, incomplete or damaged.
    """
    info = _read_info(folder, Scope.SERVER)
    return SourceServer(
        name=f"Playdock at {info.server}" if info.server else "Playdock",
        users=tuple(map(_user, _records(folder, info, ExportedUser))),
        libraries=tuple(map(_library, _records(folder, info, ExportedLibrary))),
        games=tuple(map(_game, _records(folder, info, ExportedGame))),
        collections=tuple(map(_collection, _records(folder, info, ExportedCollection))),
        play_records=tuple(map(_play_record, _records(folder, info, ExportedPlayRecord))),
        save_slots=tuple(map(_save_slot, _records(folder, info, ExportedSaveSlot))),
        left_out=tuple(f"{each.what}: {each.reason}" for each in info.left_out),
    )


def read_person(folder: Path) -> SourceServer:
    """Return what the export of one person contains, with the names of the games that it is about.

    Raises the same errors as `read`.
    """
    info = _read_info(folder, Scope.PERSON)
    collections = _records(folder, info, ExportedCollection)
    played, slots = _records(folder, info, ExportedPlayRecord), _records(folder, info, ExportedSaveSlot)
    names = {each.game: each.name for one in collections for each in one.games}
    names |= {each.game: each.name for each in played}
    names |= {each.game: each.name for each in slots}
    return SourceServer(
        name=f"an account at {info.server}" if info.server else "an account",
        users=tuple(map(_user, _records(folder, info, ExportedUser))),
        games=tuple(SourceGame(key, "", "", GameMetadata(name=name), MANUAL, "") for key, name in names.items()),
        collections=tuple(map(_collection, collections)),
        play_records=tuple(map(_play_record, played)),
        save_slots=tuple(map(_save_slot, slots)),
    )


def _read_info(folder: Path, scope: Scope) -> ExportInfo:
    if not (folder / export_format.INFO).is_file():
        raise ExportUnknown(
            f"{folder} is not an export, or an incomplete one: it has no file {export_format.INFO}. "
            "Name the folder that playdock export has written, or export again."
        )
    data = _content(folder, export_format.INFO)
    try:
        kind = msgspec.json.decode(data, type=_Kind)
    except msgspec.DecodeError:
        kind = _Kind()
    if kind.format != export_format.NAME:
        raise ExportUnknown(f"{export_format.INFO} does not belong to an export of Playdock. Name another folder.")
    if kind.version not in export_format.READABLE:
        raise ExportUnknown(
            f"The export has version {kind.version} of the format; this release of Playdock reads none after "
            f"{export_format.VERSION}. Use a release that reads it, or export again."
        )
    try:
        info = msgspec.json.decode(data, type=ExportInfo)
    except msgspec.DecodeError as error:
        raise ExportDamaged(export_format.INFO, str(error)) from None
    if info.scope is not scope:
        raise ExportUnknown(
            "This is the export of one person. Name the account that gets it with --user."
            if info.scope is Scope.PERSON
            else "This is the export of a whole server. Leave out --user."
        )
    if unknown := sorted(info.files.keys() - export_format.RECORDS.keys()):
        raise ExportUnknown(f"The export has a file {unknown[0]}, which this release of Playdock does not know.")
    return info


def _records(folder: Path, info: ExportInfo, kind: type[_T]) -> Sequence[_T]:
    if info.version < export_format.SINCE.get(kind, 1):
        return ()
    name = export_format.file_of(kind)
    if name not in info.files:
        raise ExportDamaged(name, f"it is not named in {export_format.INFO}")
    data = _content(folder, name)
    if hashlib.sha256(data).hexdigest() != info.files[name].sha256:
        raise ExportDamaged(name, "its content has changed since it was written")
    decoder = msgspec.json.Decoder(kind)
    found = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            found.append(decoder.decode(line))
        except msgspec.DecodeError as error:
            raise ExportDamaged(name, f"line {number}: {error}") from None
    return found


def _content(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ExportDamaged(name, system_error(error)) from None


def _user(user: ExportedUser) -> SourceUser:
    return SourceUser(
        key=user.id,
        username=user.username,
        display_name=user.display_name,
        email=user.email,
        admin=user.admin,
        enabled=user.enabled,
        password=user.password or "",
        picture=user.picture,
        identity=user.identity or "",
        created=user.created,
        download_rate=user.download_rate,
        downloads_at_once=user.downloads_at_once,
    )


def _library(library: ExportedLibrary) -> SourceLibrary:
    return SourceLibrary(
        key=library.id,
        name=library.name,
        base_dir=library.folder,
        layout=BackendKind.FILESYSTEM if library.backend is BackendKind.S3 else library.backend,
        ignore=library.rules.ignore,
        managed=library.managed,
        import_games=library.rules.import_games,
        import_versions=library.rules.import_versions,
    )


def _game(game: ExportedGame) -> SourceGame:
    released = ReleaseDate(game.released.date, game.released.precision) if game.released else None
    return SourceGame(
        key=game.id,
        library=game.library,
        path=game.path,
        facts=GameMetadata(
            name=game.name,
            short=game.short_description,
            description=game.description,
            released=released,
            developers=game.developers,
            publishers=game.publishers,
            tags=tuple(TagFact(each.kind, each.name) for each in game.tags),
            ratings=tuple(RatingFact(each.source, each.score, each.count, each.url) for each in game.ratings),
            age_ratings=tuple(AgeRating(each.board, each.value, each.descriptors) for each in game.age_ratings),
            websites=tuple(Website(each.kind, each.url) for each in game.websites),
            external_ids=game.external_ids,
        ),
        source=game.source,
        metadata_id=game.source_id,
        images=tuple(SourceImage(each.role, each.file, each.source, each.address, each.credit) for each in game.images),
        featured=game.featured,
        versions=tuple(
            SourceVersion(
                name=each.name,
                beside=each.beside,
                platform=each.platform,
                launches=(Command(each.launch, each.launch_args),),
                setup=Command(each.setup, each.setup_args),
                only_setup=each.only_setup,
                delta=each.delta,
                compat_id=each.compat_id,
            )
            for each in game.versions
        ),
        sources=game.sources,
        added=game.added,
        layout=game.layout,
    )


def _collection(collection: ExportedCollection) -> SourceCollection:
    return SourceCollection(
        key=collection.id,
        user=collection.user,
        name=collection.name,
        is_default=collection.is_default,
        games=tuple(each.game for each in collection.games),
        added={each.game: each.added for each in collection.games},
    )


def _play_record(record: ExportedPlayRecord) -> SourcePlayRecord:
    return SourcePlayRecord(
        user=record.user,
        game=record.game,
        sessions=tuple(SourceSession(each.id, each.started, each.seconds) for each in record.sessions),
        status=record.status,
        note=record.note,
    )


def _save_slot(slot: ExportedSaveSlot) -> SourceSaveSlot:
    return SourceSaveSlot(
        user=slot.user,
        game=slot.game,
        number=slot.slot,
        saves=tuple(
            SourceSave(each.id, each.file, each.sha256, each.position, each.created, each.aside, each.device)
            for each in slot.saves
        ),
    )
