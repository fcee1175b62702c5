"""What browsers are sent with: to begin a flow, and back from the provider (OpenID Connect Core 1.0, 3.1.2.5)."""

from typing import Annotated, Literal

from msgspec import Meta

from playdock.kit.bodies import Query


class BeginQuery(Query):
    """What a flow is for, and where it leads in the end."""

    redirect: str = "/"
    link: Literal["true", "false"] = "false"
    test: Annotated[str, Meta(max_length=200)] = ""


class CallbackQuery(Query):
    """What the provider has to say: a code, or why there is none."""

    state: Annotated[str, Meta(max_length=200)] = ""
    code: Annotated[str, Meta(max_length=8192)] = ""
    iss: str | None = None
    error: str | None = None
