"""Password hashing with Argon2id, always outside the event loop and outside transactions.

Requests with a password run in the few threads of `PasswordThreads`, so that many simultaneous sign-ins take up neither
the threads of other requests nor all processors. Until a thread is free they wait in queues, one for each network. The
networks take turns, so that one that sends many passwords delays only itself.
"""

import asyncio
import os
from base64 import b64encode
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError
from msgspec import Struct

from playdock.auth.errors import PasswordQueueFull
from playdock.db.retrying import retry_conflicts

# As many as people in one building sign in at the same time. The last one waits some seconds for the others.
MAX_WAITING_PER_NETWORK = 16
# Bounds the wait of everybody: about half a minute on the slowest machines, which hash two passwords per second.
MAX_WAITING = 64

# What bcrypt hashes of all variants begin with, and the bytes of a password that they depend on.
_BCRYPT = "$2"
_BCRYPT_BYTES = 72

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

    def renew(self, stored: str, password: str) -> str:
        """Return the hash to store for a password that matches a stored one: a new one if that is outdated.

        A hash of bcrypt is kept if the password is longer than what it depends on. The rest may be mistyped, and would
        become a part of the password.
        """
        is_longer = stored.startswith(_BCRYPT) and len(_bytes(password)) > _BCRYPT_BYTES
        return self.hash(password) if self._is_outdated(stored) and not is_longer else stored

    def verify(self, stored: str | None, password: str) -> bool:
        """Return whether a password matches a stored hash.

        Without a stored hash the result is False after the same time, so that the time does not reveal whether an
        account exists. With an outdated one, the verification without a hash runs at the same time, so that the time
        does not reveal whose account was moved from another server, either.
        """
        if stored is None:
            self._matches(self._dummy_hash, password)
            return False
        if not self._is_outdated(stored):
            return self._matches(stored, password)
        with ThreadPoolExecutor(1) as executor:
            executor.submit(self.verify, None, password)
            matches = _matches_bcrypt if stored.startswith(_BCRYPT) else self._matches
            return matches(stored, password)

    def _is_outdated(self, stored: str) -> bool:
        """Return whether a stored hash has another algorithm or other parameters than new ones, or is damaged."""
        try:
            return self._hasher.check_needs_rehash(stored)
        except InvalidHashError:
            return True

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerifyMismatchError, VerificationError, InvalidHashError):
            return False


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


def _matches_bcrypt(stored: str, password: str) -> bool:
    """Return whether a password matches a hash that was moved from another server. All use only the first 72 bytes."""
    import bcrypt

    try:
        return bcrypt.checkpw(_bytes(password)[:_BCRYPT_BYTES], stored.encode())
    except ValueError:
        return False


def _unmatchable_hash(time_cost: int, memory_cost: int) -> str:
    """Return a well-formed hash of random bytes, which no password matches and which takes as long to verify."""
    salt, digest = (b64encode(os.urandom(size)).decode().rstrip("=") for size in (16, 32))
    return f"$argon2id$v=19$m={memory_cost},t={time_cost},p=1${salt}${digest}"


class _Call(Struct, eq=False):
    """A request that waits for a thread, or runs in one."""

    call: Callable[[], Any]
    result: asyncio.Future[Any]


class PasswordThreads:
    """Runs complete requests that hash a password, in one thread fewer than there are processors.

    Call everything in the event loop.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._free = threads or max(1, (os.cpu_count() or 1) - 1)
        self._executor = ThreadPoolExecutor(self._free, thread_name_prefix="passwords")
        # The first network is the next one to take a turn; networks without waiting requests have no queue.
        self._queues: dict[str, deque[_Call]] = {}

    async def run(self, call: Callable[[], _T], *, network: str, hung_up: Awaitable[None]) -> _T:
        """Run a call when a thread is free and it is the network's turn.

        ``hung_up`` ends when the caller has closed the connection; a call that is still waiting is then dropped.

        Raises:
            PasswordQueueFull: too many requests are waiting, from this network or in total.
        """
        loop = asyncio.get_running_loop()
        waiting = _Call(partial(copy_context().run, retry_conflicts, call), loop.create_future())
        watcher = asyncio.ensure_future(hung_up)
        watcher.add_done_callback(lambda _: self._leave(network, waiting))
        try:
            self._join(network, waiting)
            self._start_next(loop)
            result: _T = await waiting.result
            return result
        finally:
            self._leave(network, waiting)
            watcher.cancel()

    @property
    def waiting(self) -> int:
        """The number of requests in all queues."""
        return sum(map(len, self._queues.values()))

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _join(self, network: str, call: _Call) -> None:
        """Append a call to the queue of its network. If all queues together are full, the longest one loses its last.

        Raises:
            PasswordQueueFull: the network's queue is full, or it is the longest one.
        """
        ahead = len(self._queues.get(network, ()))
        if ahead >= MAX_WAITING_PER_NETWORK:
            raise PasswordQueueFull
        if self.waiting >= MAX_WAITING:
            longest = max(self._queues, key=lambda each: len(self._queues[each]))
            if len(self._queues[longest]) <= ahead + 1:
                raise PasswordQueueFull
            self._leave(longest, self._queues[longest][-1])
        self._queues.setdefault(network, deque()).append(call)

    def _leave(self, network: str, call: _Call) -> None:
        """Remove a call from its queue, unless it has been started."""
        queue = self._queues.get(network, deque())
        if call not in queue:
            return
        queue.remove(call)
        if not queue:
            del self._queues[network]
        if not call.result.done():
            call.result.set_exception(PasswordQueueFull())

    def _start_next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._free and self._queues:
            network, queue = next(iter(self._queues.items()))
            call = queue.popleft()
            del self._queues[network]
            if queue:
                self._queues[network] = queue
            self._free -= 1
            job = self._executor.submit(call.call)
            job.add_done_callback(partial(self._finish_in_thread, loop, call))

    def _finish_in_thread(self, loop: asyncio.AbstractEventLoop, call: _Call, job: Future[Any]) -> None:
        # The loop is closed if the service has stopped.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._finish, loop, call, job)

    def _finish(self, loop: asyncio.AbstractEventLoop, call: _Call, job: Future[Any]) -> None:
        self._free += 1
        self._start_next(loop)
        if call.result.done():
            return
        if error := job.exception():
            call.result.set_exception(error)
        else:
            call.result.set_result(job.result())
