"""Errors of metadata providers. The messages name the provider and contain no URL and no secret."""

from playdock.kit.messages import Message


class ProviderError(Exception):
    """A request to a provider failed; ``retryable`` if the same request may succeed later."""

    def __init__(self, name: str, reason: str, *, retryable: bool = False, message: Message | None = None) -> None:
        self.message = message or Message("provider-failed", provider=name, reason=reason)
        super().__init__(self.message)
        self.retryable = retryable


class ForeignAddress(ProviderError):
    """The URL of a picture is not on the provider's picture servers; no request was sent."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "does not serve pictures from this URL")


# HTTP statuses that may pass: Too Many Requests, and every status from 500 on.
_TOO_MANY, _SERVER_ERRORS = 429, 500


class StatusRefused(ProviderError):
    """The provider responded with an error status."""

    def __init__(self, name: str, *, status: int) -> None:
        message = Message("provider-status", provider=name, status=str(status))
        retryable = status == _TOO_MANY or status >= _SERVER_ERRORS
        super().__init__(name, "", retryable=retryable, message=message)
        self.status = status


class RateLimited(ProviderError):
    """The rate limit leaves no call before the deadline; the provider itself works."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "", retryable=True, message=Message("provider-rate-limited", provider=name))
