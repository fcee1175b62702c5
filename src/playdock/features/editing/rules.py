"""Pure decisions about changes of games: what was said, whom to ask, which pictures there are not."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Protocol

from msgspec import UNSET, UnsetType

from playdock.features.catalogue.rules import PICTURES, Edited, Field
from playdock.features.editing.schemas import GameChanges, PicturesForm, RefreshDraft, ReleaseDraft, VersionChanges
from playdock.features.version_import.rules import command_path
from playdock.features.version_import.schemas import VersionImportDraft
from playdock.kit.errors import Fault
from playdock.kit.texts import one_line
from playdock.metadata.facts import AgeRating, GameFacts, Precision, ReleaseDate, Role, TagFact, Website
from playdock.metadata.providers import MANUAL, Reference

_MONTHS_OF_A_QUARTER = 3
_MOST_OF_A_NAME = 80


class Imported(Protocol):
    """What was said of a version when it was imported, or has been since."""

    game_id: str
    name: str
    platform: str
    delta: bool
    only_setup: bool
    launch: str
    launch_args: str
    setup: str
    setup_args: str


def edited(changes: GameChanges) -> Edited:
    """Give what was said of a game, as facts and as pictures to show."""
    said = _said(changes)
    shown = {role: _shown(getattr(changes, role.value)) for role, field in PICTURES.items() if field in said}
    return Edited(_facts(changes), said - set(PICTURES.values()), shown)


def _said(changes: GameChanges) -> set[Field]:
    """Give the fields that were given, be it that there is nothing; they have the names that they have on the wire."""
    names = zip(changes.__struct_fields__, changes.__struct_encode_fields__, strict=True)
    given = {wire for name, wire in names if getattr(changes, name) is not UNSET}
    return {field for field in Field if field.value in given}


def _shown(value: str | list[str] | None) -> list[str]:
    ids = [value] if isinstance(value, str) else value or []
    return list(dict.fromkeys(ids))


def _facts(changes: GameChanges) -> GameFacts:
    return GameFacts(
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


def _release(draft: ReleaseDraft | UnsetType | None) -> ReleaseDate | None:
    return ReleaseDate(first_day(draft.date, draft.precision), draft.precision) if draft else None


def first_day(day: date, precision: Precision) -> date:
    """Give the first day of what is known when a date is only so exact."""
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


def unknown_pictures(shown: Mapping[Role, Sequence[str]], known: Collection[str]) -> list[Fault]:
    """Name the fields that show pictures which the game does not have."""
    return [
        Fault(f"{role}[{place}]" if role is Role.CAROUSEL else role.value, "The game has no picture with this id.")
        for role, ids in shown.items()
        for place, picture_id in enumerate(ids)
        if picture_id not in known
    ]


def misordered(changes: GameChanges, known: Collection[str]) -> list[Fault]:
    """Say so where an order was given that is not one of exactly the versions that there are."""
    if changes.versions is UNSET or sorted(changes.versions) == sorted(known):
        return []
    return [Fault("versions", "Give the ids of all versions of the game, each of them once, the newest first.")]


def as_imported(version: Imported, changes: VersionChanges) -> VersionImportDraft:
    """Give the form in which a version would have been imported if it had always been as it is to be now."""
    return VersionImportDraft(
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


def columns(draft: VersionImportDraft, changes: VersionChanges) -> dict[str, str]:
    """Give what is to change of a version, by column."""
    return {name: getattr(draft, name) for name in changes.__struct_fields__ if getattr(changes, name) is not UNSET}


def reference(draft: RefreshDraft, own: Reference) -> Reference:
    """Give the game that a provider is asked for; ``own`` is the one that the game has now."""
    source_id = draft.source_id or own.source_id
    same = own.id if source_id == own.source_id else ""
    return Reference(source_id, draft.id or same, draft.name or own.name)


def unanswerable(asked: Reference, able: Collection[str]) -> Iterator[Fault]:
    """Name what stands in the way of asking; ``able`` are the providers that can tell of games."""
    known = ", ".join(sorted(able)) or "none"
    if asked.source_id == MANUAL:
        yield Fault("sourceId", f"This game has no provider to ask. Name one and the game's id there. Known: {known}.")
    elif asked.source_id not in able:
        yield Fault("sourceId", f"The provider {asked.source_id} cannot be asked here. Known: {known}.")
    elif not asked.id:
        yield Fault("id", f"Give the id that the game has at {asked.source_id}.")


def too_many_to_use(form: PicturesForm) -> list[Fault]:
    """Say so where several pictures are to be what a game has one of."""
    if form.use in (None, Role.CAROUSEL) or len(form.files) == 1:
        return []
    return [Fault("files", f"Only one picture can be the {form.use}. Send one, or leave out what to use them as.")]


def refused(place: int, name: str, reason: str) -> Fault:
    """Say which of several files was refused and why."""
    shortened = name if len(name) <= _MOST_OF_A_NAME else f"{name[:_MOST_OF_A_NAME]}…"
    return Fault(f"files[{place}]", f"{shortened or 'A file without a name'}: {reason}")
