"""What is asked of a provider once and then remembered for a while."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

import structlog

from playdock.identity.errors import ProviderFault
from playdock.kit.clock import Clock

_T = TypeVar("_T")
_log = structlog.get_logger()
_AFTER_A_FAILURE = timedelta(seconds=3)


class Remembered(Generic[_T]):
    """One answer, asked for at the first use and again when it has grown old.

    A failure is remembered for some seconds, so that a provider that hangs does not hold up everybody one by one.
    """

    def __init__(self, ask: Callable[[], _T], clock: Clock, *, good_for: timedelta) -> None:
        self._ask = ask
        self._clock = clock
        self._good_for = good_for
        self._asking = threading.Lock()
        self._found: _T | None = None
        self._failure: ProviderFault | None = None
        self._until: datetime | None = None

    def get(self) -> _T:
        """Give the answer.

        Raises:
            ProviderAway, ProviderUnusable: as asking does, or did some seconds ago.
        """
        with self._asking:
            if self._until is None or self._until <= self._clock():
                self._ask_now()
            if self._failure is not None:
                raise self._failure.with_traceback(None)
            assert self._found is not None
            return self._found

    def forget(self) -> None:
        """Ask again at the next use."""
        with self._asking:
            self._until = None

    def _ask_now(self) -> None:
        self._found = self._failure = None
        try:
            self._found = self._ask()
        except ProviderFault as failure:
            _log.warning("the identity provider cannot be used", reason=failure.reason)
            self._failure = failure
        self._until = self._clock() + (_AFTER_A_FAILURE if self._failure else self._good_for)
