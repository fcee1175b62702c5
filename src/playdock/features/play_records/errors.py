"""Errors about play records."""

from playdock.features.play_records.rules import MAX_SESSIONS
from playdock.kit.errors import Conflict, Invalid, NotFound


class PlaySessionUnknown(NotFound):
    """The caller has no play session with this id."""

    def __init__(self) -> None:
        super().__init__("You have no play session with this id. It may have been deleted.")


class PlaySessionInFuture(Invalid):
    """A play session ends in the future."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"The play session {session_id} ends in the future. Correct the clock, and send it again.")


class TooManyPlaySessions(Conflict):
    """The caller has the maximum number of play sessions."""

    def __init__(self) -> None:
        super().__init__(f"You have {MAX_SESSIONS:,} play sessions, and there is room for no more. Delete some.")
