"""Wire types of API tokens."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, structs

from playdock.auth.permissions import Permission
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Expiry, Id, Timestamp
from playdock.models import Token


class TokenCreate(RequestBody):
    """A token to create."""

    name: Annotated[
        str,
        Meta(min_length=1, max_length=128, description="A name of 1 to 128 characters.", examples=["backup script"]),
    ]
    acls: Annotated[
        list[Permission],
        Meta(min_length=1, max_length=100, description="The permissions, at least 1.", examples=[["user:read"]]),
    ]
    expiry: Annotated[
        datetime | None,
        Meta(
            description="When the token expires; if omitted, as late as `TOKEN_MAX_DAYS` allows.",
            extra_json_schema={"format": "date-time"},
        ),
    ] = None


class TokenResponse(ResponseBody):
    """A token without its secret."""

    id: Id
    name: Annotated[str, Meta(examples=["backup script"])]
    acls: Annotated[list[str], Meta(examples=[["user:read"]])]
    expires: Expiry
    created: Timestamp

    @classmethod
    def of(cls, row: Token) -> "TokenResponse":
        return cls(
            id=row.id,
            name=row.name,
            acls=row.acls,
            expires=timestamp(row.expires),
            created=timestamp(row.created),
        )


class NewTokenResponse(TokenResponse):
    """A token with its secret, which is shown only once."""

    token: Annotated[str, Meta(examples=["pdt_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs"])]

    @classmethod
    def with_secret(cls, row: Token, *, secret: str) -> "NewTokenResponse":
        return cls(**structs.asdict(TokenResponse.of(row)), token=secret)


class TokenLimits(ResponseBody):
    """The limits of new tokens."""

    max_days: Annotated[int, Meta(description="The maximum lifetime in days.", examples=[365])]
