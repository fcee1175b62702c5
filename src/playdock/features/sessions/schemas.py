"""Wire types of signing in and of sessions."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Expiry, Id, Timestamp
from playdock.models import UserSession


class SignInRequest(RequestBody):
    """The credentials of a password sign-in."""

    username: Annotated[str, Meta(max_length=256, description="The user name, ignoring case.", examples=["ada"])]
    password: Annotated[str, Meta(max_length=4096, description="The password.", examples=["correct horse battery"])]
    remember_me: Annotated[bool, Meta(description="Stay signed in for 90 days instead of 1.")] = False


class PasswordConfirmation(RequestBody):
    """The password of the caller."""

    password: Annotated[str, Meta(max_length=4096, description="The password.", examples=["correct horse battery"])]


class SignInResponse(ResponseBody):
    """A new session. Its bearer token is shown only once, and not to browsers, which have the cookie."""

    result: Annotated[bool, Meta(examples=[True])]
    user_id: Id
    expires: Expiry
    access_token: Annotated[str, Meta(examples=["pds_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs"])] | UnsetType = UNSET


class ConfirmationResponse(ResponseBody):
    """The confirmed session. A program that sent the secret as a bearer token gets the new one, browsers a cookie."""

    expires: Expiry
    access_token: Annotated[str, Meta(examples=["pds_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs"])] | UnsetType = UNSET


class SessionResponse(ResponseBody):
    """A session; `current` marks the session of this request."""

    id: Id
    agent: Annotated[str, Meta(examples=["curl/7.88.1"])]
    created: Timestamp
    seen: Timestamp
    expires: Expiry
    current: Annotated[bool, Meta(examples=[True])]

    @classmethod
    def of(cls, row: UserSession, *, current: str) -> "SessionResponse":
        return cls(
            id=row.id,
            agent=row.agent,
            created=timestamp(row.created),
            seen=timestamp(row.seen),
            expires=timestamp(row.expires),
            current=row.id == current,
        )
