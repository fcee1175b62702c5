"""Errors of sign-ins through the identity provider. No message repeats untrusted input."""

from playdock.kit.errors import Forbidden, Unavailable


class IdentityProviderError(Unavailable):
    """A request to the identity provider failed; ``reason`` completes a sentence that begins with the provider."""

    def __init__(self, reason: str, *, advice: str) -> None:
        super().__init__(f"The identity provider {reason}. {advice}")
        self.reason = reason


class IdentityProviderUnavailable(IdentityProviderError):
    """The identity provider does not respond."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, advice="Try again in a moment.")


class IdentityProviderUnusable(IdentityProviderError):
    """The identity provider's responses are invalid, or it rejects the service as a client."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, advice="Tell an administrator: `playdock doctor` on the server shows what to fix.")


class SignInRefused(Forbidden):
    """The identity provider's response to this sign-in is not accepted."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"This sign-in was rejected: {reason}. Try again; if that fails too, tell an administrator.")
