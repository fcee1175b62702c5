"""Which requests a list shows, which matches of a search, and limits."""

from collections.abc import Collection, Sequence
from enum import StrEnum

from playdock.domain.game_requests.queries import ProviderId
from playdock.domain.game_requests.rules import RequestStatus, key_of
from playdock.metadata.merging import groups_of
from playdock.metadata.providers import Match

# More than somebody waits for seriously; others can vote for the rest.
MAX_WAITING = 10
# A person who searches waits for each result; a program could use up the rate limit of a provider for imports.
SEARCHES_PER_MINUTE = 20


class RequestList(StrEnum):
    """A list of requests."""

    WAITING = "waiting"
    ENDED = "ended"


STATUSES: dict[RequestList, Sequence[RequestStatus]] = {
    RequestList.WAITING: (RequestStatus.OPEN, RequestStatus.ACCEPTED),
    RequestList.ENDED: (RequestStatus.DECLINED, RequestStatus.DONE),
}
# What those who want the game are notified of; opening a request again is none.
ANSWERS = (RequestStatus.ACCEPTED.value, RequestStatus.DECLINED.value)


def one_of_each(matches: Sequence[Match], *, games: Collection[ProviderId], requests: Collection[str]) -> list[Match]:
    """Return one match of each game: the one that the store has, or that is requested, or else the first.

    ``games`` are the providers' ids of games in the store, ``requests`` the keys of requests.
    """

    def rank(match: Match) -> int:
        reference = match.reference
        if (reference.source_id, reference.id) in games:
            return 0
        return 1 if key_of("", source_id=reference.source_id, metadata_id=reference.id) in requests else 2

    best: dict[int, Match] = {}
    for group, match in zip(groups_of(matches), matches, strict=True):
        if group not in best or rank(match) < rank(best[group]):
            best[group] = match
    return list(best.values())
