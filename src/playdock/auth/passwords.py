"""Password hashes: Argon2id, always away from the event loop and with no transaction open.

`PasswordLane` is where requests with a password run: a few threads of their own, so that a rush of sign-ins waits in
line there and neither fills the threads of other requests nor both processors.
"""

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Passwords:
    """Hashes by the second recommended option of RFC 9106: 64 MiB, three passes; one thread a hash."""

    def __init__(self, *, time_cost: int = 3, memory_cost: int = 65_536) -> None:
        self._hasher = PasswordHasher(time_cost=time_cost, memory_cost=memory_cost, parallelism=1)
        self._of_nobody = _unmatched(time_cost, memory_cost)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def verify(self, stored: str | None, password: str) -> bool:
        """Tell whether the password is the one that was hashed.

        With nothing stored the answer is no and takes as long, so that time does not tell who has an account.
        """
        try:
            return self._hasher.verify(stored or self._of_nobody, password) and stored is not None
        except (VerifyMismatchError, VerificationError, InvalidHashError):
            return False


def _unmatched(time_cost: int, memory_cost: int) -> str:
    """Give what looks like a hash, made of noise: no password matches it, and finding that out takes as long."""
    salt, noise = (b64encode(os.urandom(size)).decode().rstrip("=") for size in (16, 32))
    return f"$argon2id$v=19$m={memory_cost},t={time_cost},p=1${salt}${noise}"


class PasswordLane:
    """Runs whole requests that hash a password on one thread less than there are processors."""

    def __init__(self) -> None:
        threads = max(1, (os.cpu_count() or 1) - 1)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="passwords")

    async def run(self, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, lambda: call(*args, **kwargs))

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
