"""Errors about signing in with OpenID."""

from playdock.kit.errors import Conflict, Forbidden, Invalid, NotFound


class OpenIdDisabled(NotFound):
    """OpenID is not configured."""

    def __init__(self) -> None:
        super().__init__(
            "OpenID is not configured. An admin has to set OIDC_WELLKNOWN, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET."
        )


class SignInExpired(Invalid):
    """The flow is unknown, used, expired or another browser's; the error does not disclose which."""

    def __init__(self) -> None:
        super().__init__(
            "This sign-in is no longer valid: it was already used, took more than 10 minutes, or started in another "
            "browser. Start again."
        )


class LinkingExpired(Forbidden):
    """The session that started linking has ended or belongs to another user."""

    def __init__(self) -> None:
        super().__init__("Not linked: your session changed while you were at the provider. Try again.")


class IdentityLinkedElsewhere(Conflict):
    """The provider's identity is linked to another account."""

    def __init__(self) -> None:
        super().__init__(
            "Not linked: this identity already belongs to another account. Sign in to that account, or sign in to the "
            "provider with a different identity."
        )


class AccountAlreadyLinked(Conflict):
    """The account is linked to another identity at the provider."""

    def __init__(self) -> None:
        super().__init__("Not linked: your account is already linked to another identity. Unlink that one first.")


class GuidedTestUnknown(NotFound):
    """The link of a guided test is unknown, used or expired."""

    def __init__(self) -> None:
        super().__init__("This link was already used or has expired. Run `playdock doctor --openid` for a new one.")
