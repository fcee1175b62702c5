"""How many there are of what belongs to users and games, for the plan of a move."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from playdock.features.moving_in.rules import (
    Count,
    MovedKind,
    PlannedGame,
    PlannedUser,
    Step,
    is_username,
    permissions_here,
)
from playdock.kit.identifiers import digest
from playdock.other_servers.model import SourceServer, SourceToken


def counts_of_dependents(
    source: SourceServer,
    users: Iterable[PlannedUser],
    games: Iterable[PlannedGame],
    *,
    moved: Mapping[MovedKind, Collection[str]],
    now: datetime,
) -> list[Count]:
    """Return how many there are of what belongs to users and games; it is left out if one of these is."""
    people = {each.source.key for each in users if each.step is not Step.OMIT}
    present = {each.source.key for each in games if each.step is not Step.OMIT}

    def count(name: str, kind: MovedKind, found: Iterable[tuple[str, bool]]) -> Count:
        return Count.of(
            name,
            [Step.MOVED if key in moved[kind] else Step.ADD if possible else Step.OMIT for key, possible in found],
        )

    records = [(each, each.user in people and each.game in present) for each in source.play_records]
    slots = [(each, each.user in people and each.game in present) for each in source.save_slots]
    return [
        count(
            *("versions", MovedKind.VERSION),
            ((f"{game.key}:{each.name}", game.key in present) for game in source.games for each in game.versions),
        ),
        count(
            *("games in collections", MovedKind.ENTRY),
            (
                (f"{each.key}:{game}", each.user in people and game in present)
                for each in source.collections
                for game in each.games
            ),
        ),
        count(
            *("play sessions", MovedKind.PLAY_SESSION),
            ((f"{each.user}:{played.key}", possible) for each, possible in records for played in each.sessions),
        ),
        count(
            *("notes", MovedKind.PLAY_RECORD),
            ((each.key, possible) for each, possible in records if each.status or each.note),
        ),
        count(
            *("saved games", MovedKind.SAVE), ((save.key, possible) for each, possible in slots for save in each.saves)
        ),
        count(
            *("API tokens", MovedKind.TOKEN),
            ((each.key, _is_usable(each, people, now)) for each in source.tokens),
        ),
        count(
            *("invitations", MovedKind.INVITATION),
            ((digest(each.key), each.expires > now and is_username(each.username)) for each in source.invitations),
        ),
    ]


def _is_usable(token: SourceToken, people: Collection[str], now: datetime) -> bool:
    """Return whether a token of one of some people, or of the whole server, does anything here."""
    is_current = token.expires is None or token.expires > now
    return is_current and (not token.user or token.user in people) and bool(permissions_here(token.permissions)[0])
