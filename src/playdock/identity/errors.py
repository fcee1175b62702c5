"""Why nobody can be signed in. None of the messages repeats what came from outside."""

from playdock.kit.errors import Forbidden, Unavailable


class ProviderFault(Unavailable):
    """Nothing can be learned from the identity provider; ``reason`` continues a sentence that begins with it."""

    def __init__(self, reason: str, *, advice: str) -> None:
        super().__init__(f"The identity provider {reason}. {advice}")
        self.reason = reason


class ProviderAway(ProviderFault):
    """The identity provider does not answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, advice="Try again in a moment.")


class ProviderUnusable(ProviderFault):
    """The identity provider's answers cannot be used, or it does not take the service for its client."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, advice="Tell an admin: `playdock doctor` on the server shows what to mend.")


class SignInRefused(Forbidden):
    """What the identity provider said about this sign-in is not accepted."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"This sign-in is not accepted: {reason}. Begin again; if it happens again, tell an admin.")
