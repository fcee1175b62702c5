"""Password hashing with Argon2id, always outside the event loop and outside transactions.

Requests with a password run in the few threads of `PasswordThreads`, so that many simultaneous sign-ins queue there
and take up neither the threads of other requests nor all processors.
"""

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from playdock.db.retrying import retry_conflicts

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Passwords:
    """Hashes with the second recommended parameters of RFC 9106: 64 MiB and three passes, but a single lane.

    The RFC recommends four lanes; sign-ins run in parallel instead.
    """

    def __init__(self, *, time_cost: int = 3, memory_cost: int = 65_536) -> None:
        self._hasher = PasswordHasher(time_cost=time_cost, memory_cost=memory_cost, parallelism=1)
        self._dummy_hash = _unmatchable_hash(time_cost, memory_cost)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def verify(self, stored: str | None, password: str) -> bool:
        """Return whether a password matches a stored hash.

        Without a stored hash the result is False after the same time, so that the time does not reveal whether an
        account exists.
        """
        try:
            return self._hasher.verify(stored or self._dummy_hash, password) and stored is not None
        except (VerifyMismatchError, VerificationError, InvalidHashError):
            return False


def _unmatchable_hash(time_cost: int, memory_cost: int) -> str:
    """Return a well-formed hash of random bytes, which no password matches and which takes as long to verify."""
    salt, digest = (b64encode(os.urandom(size)).decode().rstrip("=") for size in (16, 32))
    return f"$argon2id$v=19$m={memory_cost},t={time_cost},p=1${salt}${digest}"


class PasswordThreads:
    """Runs complete requests that hash a password, in one thread fewer than there are processors."""

    def __init__(self) -> None:
        threads = max(1, (os.cpu_count() or 1) - 1)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="passwords")

    async def run(self, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, retry_conflicts, partial(call, *args, **kwargs))

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
