"""Which matches of several providers are the same game."""

from collections.abc import Sequence

from playdock.content.naming import words
from playdock.metadata.providers import Match


def groups_of(matches: Sequence[Match]) -> list[int]:
    """Return a number for each match: matches with the same number are the same game at different providers.

    They share an id, or else a name and a year. A match without a year belongs to the only game of its name.
    """
    groups: list[list[Match]] = []
    numbers = []
    for match in matches:
        own = [number for number, group in enumerate(groups) if _is_same(match, group, matches)]
        if own:
            groups[own[0]].append(match)
            numbers.append(own[0])
        else:
            numbers.append(len(groups))
            groups.append([match])
    return numbers


def _is_same(match: Match, group: Sequence[Match], matches: Sequence[Match]) -> bool:
    if any(other.reference.source_id == match.reference.source_id for other in group):
        return False
    if any(_share_an_id(match, other) for other in group):
        return True
    years = {other.year for other in (match, *group) if other.year}
    if words(match.reference.name) != words(group[0].reference.name) or len(years) > 1:
        return False
    if match.year and any(other.year for other in group):
        return True
    same_name = [other for other in matches if words(other.reference.name) == words(match.reference.name)]
    return len({other.year for other in same_name if other.year}) <= 1 and _one_each(same_name)


def _share_an_id(one: Match, other: Match) -> bool:
    ids = [{**match.external_ids, match.reference.source_id: match.reference.id} for match in (one, other)]
    return any(ids[1].get(source) == value for source, value in ids[0].items())


def _one_each(matches: Sequence[Match]) -> bool:
    """Return whether no provider has two of the matches."""
    return len({match.reference.source_id for match in matches}) == len(matches)
