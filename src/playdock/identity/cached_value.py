"""A cache for one value that is fetched from the identity provider."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

import structlog

from playdock.identity.errors import IdentityProviderError
from playdock.kit.clock import Clock

_T = TypeVar("_T")
_log = structlog.get_logger()
# Short enough that a sign-in works soon after the provider does, long enough to answer the requests that queued up
# behind a request that timed out.
_FAILURE_LIFETIME = timedelta(seconds=3)


class CachedValue(Generic[_T]):
    """A value that is fetched at its first use and again after ``lifetime``.

    A failure is cached for three seconds, so that threads waiting for a provider that hangs fail together instead of
    each waiting for its own timeout.
    """

    def __init__(self, fetch: Callable[[], _T], clock: Clock, *, lifetime: timedelta) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lifetime = lifetime
        self._lock = threading.Lock()
        self._value: _T | None = None
        self._failure: IdentityProviderError | None = None
        self._expires: datetime | None = None

    def get(self) -> _T:
        """Return the value, fetching it if necessary.

        Raises:
            IdentityProviderUnavailable, IdentityProviderUnusable: fetching failed now or within the last seconds.
        """
        with self._lock:
            if self._expires is None or self._expires <= self._clock():
                self._refresh()
            if self._failure is not None:
                raise self._failure.with_traceback(None)
            assert self._value is not None
            return self._value

    def clear(self) -> None:
        """Fetch the value again at its next use."""
        with self._lock:
            self._expires = None

    def _refresh(self) -> None:
        self._value = self._failure = None
        try:
            self._value = self._fetch()
        except IdentityProviderError as failure:
            _log.warning("the identity provider cannot be used", reason=failure.reason)
            self._failure = failure
        self._expires = self._clock() + (_FAILURE_LIFETIME if self._failure else self._lifetime)
