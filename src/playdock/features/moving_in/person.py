"""Adding the export of one person to an account here: collections, play records and saves.

The games are those that have the same name here, because such an export does not contain the games themselves.
"""

from collections.abc import Iterable, Mapping

from playdock.content.naming import words
from playdock.domain.games import queries as game_queries
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.errors import UserUnknown
from playdock.features.moving_in import queries
from playdock.features.moving_in.counting import counts_of_dependents
from playdock.features.moving_in.rules import MovedKind, PlannedGame, PlannedUser, Remark, Step
from playdock.features.moving_in.service import MovingIn, Plan
from playdock.other_servers.model import SourceGame, SourceServer


def plan_person(moving: MovingIn, source: SourceServer, *, username: str) -> Plan:
    """Return what will be added to an account. Moving that plan adds it.

    Raises:
        UserUnknown: there is no such account.
    """
    with moving.db.read() as session:
        account = account_queries.find_by_name(session, username)
        moved = {kind: queries.targets(session, moving.server, kind) for kind in MovedKind}
        games = match_games(source.games, game_queries.names(session))
    if account is None:
        raise UserUnknown
    users = [PlannedUser(each, Step.PRESENT, account.id, account.username) for each in source.users]
    remarks = [Remark(f"Game {each.source.facts.name}", f"{each.reason}.") for each in games if each.reason]
    dependents = counts_of_dependents(source, users, games, moved=moved, now=moving.clock())
    return Plan(source, users, [], games, dependents, remarks)


def match_games(games: Iterable[SourceGame], here: Mapping[str, str]) -> list[PlannedGame]:
    """Return the games with those here that are the same; ``here`` has names by id."""
    by_words: dict[tuple[str, ...], list[str]] = {}
    for game_id, name in here.items():
        by_words.setdefault(words(name), []).append(game_id)
    planned = []
    for game in games:
        found = [game.key] if game.key in here else by_words.get(words(game.facts.name), [])
        if len(found) == 1:
            planned.append(PlannedGame(game, Step.PRESENT, found[0]))
        else:
            reason = "several games here have this name" if found else "no game here has this name"
            planned.append(PlannedGame(game, Step.OMIT, "", reason))
    return planned
