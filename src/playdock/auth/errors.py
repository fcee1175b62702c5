"""Why somebody may not."""

from playdock.auth.acls import Acl
from playdock.kit.errors import Forbidden, Unauthenticated


class SignInNeeded(Unauthenticated):
    """No credential was shown, or one that is unknown, expired or withdrawn."""

    def __init__(self) -> None:
        super().__init__("Sign in, or send a valid bearer token: this call is not public.")


class NotAllowed(Forbidden):
    """The caller lacks a right."""

    def __init__(self, acl: Acl) -> None:
        super().__init__(f"This needs the right {acl}, which you or your token do not have.")


class SessionNeeded(Forbidden):
    """A token or a device's secret was shown where only a person may act."""

    def __init__(self) -> None:
        super().__init__("An API token or a device cannot do this. Sign in and try again.")


class ForeignOrigin(Forbidden):
    """Another site's page made the browser send this."""

    def __init__(self) -> None:
        super().__init__("This request comes from another site's page and was refused. Use the service's own pages.")
