"""Why a sign-in with OpenID does not begin or does not end well."""

from playdock.kit.errors import Conflict, Forbidden, Invalid, NotFound


class OpenIdOff(NotFound):
    """OpenID is not configured."""

    def __init__(self) -> None:
        super().__init__(
            "OpenID is not set up here: an admin has to set OIDC_WELLKNOWN, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET."
        )


class SignInOver(Invalid):
    """The flow is unknown, used, expired, or another browser's; which of these is nobody's business."""

    def __init__(self) -> None:
        super().__init__(
            "This sign-in is not valid any more: it was used, took more than ten minutes, or began in another browser. "
            "Begin again."
        )


class LinkingOver(Forbidden):
    """Whoever wanted to link an account is not signed in any more, or is somebody else now."""

    def __init__(self) -> None:
        super().__init__("Nothing was linked: you are not signed in as you were when this began. Begin again.")


class LinkedElsewhere(Conflict):
    """The person at the provider is linked to another account here."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was linked: whoever you are at the identity provider has another account here. Sign in to that "
            "one instead, or sign in at the provider as somebody else."
        )


class LinkedAlready(Conflict):
    """The account is linked to another person at the provider."""

    def __init__(self) -> None:
        super().__init__("Nothing was linked: your account is linked to somebody else there. Unlink that first.")


class GuidedTestUnknown(NotFound):
    """The link of a guided test is unknown, used or expired."""

    def __init__(self) -> None:
        super().__init__("This link was used or is too old. Run `playdock doctor --openid` again for a new one.")
