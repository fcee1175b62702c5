"""Sign-in on the wire (decisions 3)."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import Answer, Body
from playdock.kit.clock import timestamp
from playdock.models import UserSession


class SignInDraft(Body):
    """Who wants to sign in."""

    username: Annotated[str, Meta(max_length=256, description="The user name, in whatever case.", examples=["ada"])]
    password: Annotated[str, Meta(max_length=4096, description="The password.", examples=["correct horse battery"])]
    remember_me: Annotated[bool, Meta(description="Stay signed in for ninety days instead of one.")] = False


class SignInAnswer(Answer):
    """A session's bearer token, shown this once."""

    result: bool
    user_id: str
    access_token: str
    expires: str


class SessionAnswer(Answer):
    """A session of a user; ``current`` is the one that the call is made with."""

    id: str
    agent: str
    created: str
    seen: str
    expires: str
    current: bool

    @classmethod
    def of(cls, row: UserSession, *, current: str) -> "SessionAnswer":
        return cls(
            id=row.id,
            agent=row.agent,
            created=timestamp(row.created),
            seen=timestamp(row.seen),
            expires=timestamp(row.expires),
            current=row.id == current,
        )
