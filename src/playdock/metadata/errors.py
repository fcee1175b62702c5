"""Errors of metadata providers. The messages name the provider and contain no URL and no secret."""

from playdock.kit.messages import Message


class ProviderError(Exception):
    """A request to a provider failed; ``retryable`` if the same request may succeed later."""

    def __init__(self, message: Message, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable


class ForeignAddress(ProviderError):
    """The URL of a picture is not on the provider's picture servers; no request was sent."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("provider-foreign-image", provider=name))


# HTTP statuses that may pass: Too Many Requests, and every status from 500 on.
_TOO_MANY, _SERVER_ERRORS = 429, 500


class StatusRefused(ProviderError):
    """The provider responded with an error status."""

    def __init__(self, name: str, *, status: int) -> None:
        retryable = status == _TOO_MANY or status >= _SERVER_ERRORS
        super().__init__(Message("provider-status", provider=name, status=str(status)), retryable=retryable)
        self.status = status


class RateLimited(ProviderError):
    """The rate limit leaves no call before the deadline; the provider itself works."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("provider-rate-limited", provider=name), retryable=True)
