"""Pure decisions about editing: the fields of a change, the provider of a refresh, and invalid ids and orders."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Protocol

from msgspec import UNSET, UnsetType

from playdock.domain.game_metadata.rules import PICTURES, Field, MetadataEdit
from playdock.features.editing.schemas import GameChanges, PicturesForm, RefreshRequest, ReleaseInput, VersionChanges
from playdock.features.version_import.rules import command_path
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message
from playdock.kit.texts import one_line
from playdock.metadata.game_metadata import AgeRating, GameMetadata, Precision, ReleaseDate, Role, TagFact, Website
from playdock.metadata.providers import MANUAL, Reference

_MONTHS_OF_A_QUARTER = 3
# File names may have 255 characters; this many identify a file.
_MAX_QUOTED_CHARACTERS = 80


class ImportedVersion(Protocol):
    """The form of a version's import, with later changes."""

    game_id: str
    name: str
    platform: str
    delta: bool
    only_setup: bool
    launch: str
    launch_args: str
    setup: str
    setup_args: str


def edit_of(changes: GameChanges) -> MetadataEdit:
    """Return a change as metadata, its fields, and the pictures to show by role."""
    given = _given_fields(changes)
    shown = {role: _picture_ids(getattr(changes, role.value)) for role, field in PICTURES.items() if field in given}
    return MetadataEdit(_facts(changes), given - set(PICTURES.values()), shown)


def _given_fields(changes: GameChanges) -> set[Field]:
    """Return the fields present in a request, including those set to null or empty."""
    names = zip(changes.__struct_fields__, changes.__struct_encode_fields__, strict=True)
    given = {wire for name, wire in names if getattr(changes, name) is not UNSET}
    return {field for field in Field if field.value in given}


def _picture_ids(value: str | list[str] | None) -> list[str]:
    ids = [value] if isinstance(value, str) else value or []
    return list(dict.fromkeys(ids))


def _facts(changes: GameChanges) -> GameMetadata:
    return GameMetadata(
        name=one_line(changes.name or ""),
        short=changes.short_description or "",
        description=changes.description or "",
        released=_release(changes.released),
        developers=tuple(changes.developers or ()),
        publishers=tuple(changes.publishers or ()),
        tags=tuple(TagFact(each.kind, each.name) for each in changes.tags or ()),
        age_ratings=tuple(
            AgeRating(each.board, each.value, tuple(each.descriptors)) for each in changes.age_ratings or ()
        ),
        websites=tuple(Website(each.kind, each.url) for each in changes.websites or ()),
    )


def _release(data: ReleaseInput | UnsetType | None) -> ReleaseDate | None:
    return ReleaseDate(first_day(data.date, data.precision), data.precision) if data else None


def first_day(day: date, precision: Precision) -> date:
    """Return the first day of the period that a date has with a precision."""
    match precision:
        case Precision.DAY:
            return day
        case Precision.MONTH:
            return day.replace(day=1)
        case Precision.QUARTER:
            first_month = day.month - (day.month - 1) % _MONTHS_OF_A_QUARTER
            return day.replace(month=first_month, day=1)
        case Precision.YEAR:
            return day.replace(month=1, day=1)


def picture_errors(shown: Mapping[Role, Sequence[str]], known: Collection[str]) -> list[FieldError]:
    """Return an error for each picture that the game does not have."""
    return [
        FieldError(f"{role}[{index}]" if role is Role.CAROUSEL else role.value, Message("no-such-image"))
        for role, ids in shown.items()
        for index, picture_id in enumerate(ids)
        if picture_id not in known
    ]


def order_errors(changes: GameChanges, known: Collection[str]) -> list[FieldError]:
    """Return an error if the new order does not contain exactly the game's versions."""
    if changes.versions is UNSET or sorted(changes.versions) == sorted(known):
        return []
    return [FieldError("versions", Message("versions-incomplete"))]


def as_imported(version: ImportedVersion, changes: VersionChanges) -> VersionImportRequest:
    """Return the import request that would result in the changed version, to apply the same checks."""
    return VersionImportRequest(
        id=version.game_id,
        version=version.name,
        platform=version.platform,
        delta=version.delta,
        only_setup=version.only_setup,
        launch=version.launch if changes.launch is UNSET else command_path(changes.launch),
        launch_args=version.launch_args if changes.launch_args is UNSET else changes.launch_args,
        setup=version.setup if changes.setup is UNSET else command_path(changes.setup),
        setup_args=version.setup_args if changes.setup_args is UNSET else changes.setup_args,
    )


def columns(data: VersionImportRequest, changes: VersionChanges) -> dict[str, str]:
    """Return the columns to change of a version."""
    return {name: getattr(data, name) for name in changes.__struct_fields__ if getattr(changes, name) is not UNSET}


def reference(data: RefreshRequest, own: Reference) -> Reference:
    """Return the provider's game to fetch; ``own`` is the game's current reference."""
    source_id = data.source_id or own.source_id
    same = own.id if source_id == own.source_id else ""
    return Reference(source_id, data.id or same, data.name or own.name)


def reference_errors(reference: Reference, able: Collection[str]) -> Iterator[FieldError]:
    """Return errors if a reference cannot be fetched; ``able`` are the ids of the providers that can fetch games."""
    known = ", ".join(sorted(able)) or Message("none")
    if reference.source_id == MANUAL:
        yield FieldError("sourceId", Message("provider-required", known=known))
    elif reference.source_id not in able:
        yield FieldError("sourceId", Message("provider-not-available", provider=reference.source_id, known=known))
    elif not reference.id:
        yield FieldError("id", Message("provider-id-required", provider=reference.source_id))


def use_errors(form: PicturesForm) -> list[FieldError]:
    """Return an error if several pictures are uploaded for a role that has only one."""
    if form.use in (None, Role.CAROUSEL) or len(form.files) == 1:
        return []
    return [FieldError("files", Message("image-role-once", role=Message(f"role-{form.use}")))]


def rejected_file(index: int, name: str, reason: Message) -> FieldError:
    """Return the error of a rejected file."""
    shortened = name if len(name) <= _MAX_QUOTED_CHARACTERS else f"{name[:_MAX_QUOTED_CHARACTERS]}…"
    return FieldError(
        f"files[{index}]", Message("file-rejected", file=shortened or Message("unnamed-file"), reason=reason)
    )
