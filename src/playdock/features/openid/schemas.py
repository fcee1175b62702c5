"""The query parameters of starting a flow and of the provider's redirect (OpenID Connect Core 1.0, section 3.1.2.5)."""

from typing import Annotated, Literal

from msgspec import Meta

from playdock.kit.bodies import Query


class BeginQuery(Query):
    """The purpose of a flow, and the path to redirect to at its end."""

    redirect: str = "/"
    recent: Literal["true", "false"] = "false"
    link: Literal["true", "false"] = "false"
    test: Annotated[str, Meta(max_length=200)] = ""


class CallbackQuery(Query):
    """The provider's response: a code, or an error."""

    state: Annotated[str, Meta(max_length=200)] = ""
    code: Annotated[str, Meta(max_length=8192)] = ""
    iss: str | None = None
    error: str | None = None
