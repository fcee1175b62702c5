"""Tokens on the wire (decisions 3)."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, structs

from playdock.auth.acls import Acl
from playdock.kit.bodies import Answer, Body
from playdock.kit.clock import timestamp
from playdock.models import Token


class TokenDraft(Body):
    """A token that is to be made."""

    name: Annotated[
        str,
        Meta(min_length=1, max_length=128, description="A name of 1 to 128 characters.", examples=["backup script"]),
    ]
    acls: Annotated[
        list[Acl], Meta(min_length=1, max_length=100, description="At least one right.", examples=[["user:read"]])
    ]
    expiry: Annotated[
        datetime | None,
        Meta(
            description="When the token stops to work, in the future; never if left out.",
            extra_json_schema={"format": "date-time"},
        ),
    ] = None


class TokenAnswer(Answer):
    """A token without its secret."""

    id: str
    name: str
    acls: list[str]
    expires: str | None
    created: str

    @classmethod
    def of(cls, row: Token) -> "TokenAnswer":
        return cls(
            id=row.id,
            name=row.name,
            acls=row.acls,
            expires=timestamp(row.expires) if row.expires else None,
            created=timestamp(row.created),
        )


class NewTokenAnswer(TokenAnswer):
    """A token with its secret, shown this once."""

    token: str

    @classmethod
    def with_secret(cls, row: Token, *, secret: str) -> "NewTokenAnswer":
        return cls(**structs.asdict(TokenAnswer.of(row)), token=secret)
