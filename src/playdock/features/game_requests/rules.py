"""Which requests a list shows, and limits."""

from collections.abc import Sequence
from enum import StrEnum

from playdock.domain.game_requests.rules import RequestStatus

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
