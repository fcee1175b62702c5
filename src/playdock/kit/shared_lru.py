"""A thread-safe cache of immutable values, limited by weight."""

from collections.abc import Callable, Hashable
from threading import Condition
from typing import Generic, TypeVar

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class SharedLru(Generic[_Key, _Value]):
    """Values computed from keys. The least recently used ones are evicted. All methods are thread-safe."""

    def __init__(self, compute: Callable[[_Key], _Value], *, weigh: Callable[[_Value], int], max_weight: int) -> None:
        self._cache = LRUCache[object, _Value](max_weight, getsizeof=lambda value: min(weigh(value), max_weight))
        self._lock = Condition()
        self._get = cached(self._cache, condition=self._lock)(compute)

    def get(self, key: _Key) -> _Value:
        """Return the value, computing it if necessary. Concurrent callers wait for the same computation."""
        return self._get(key)

    def cached(self, key: _Key) -> _Value | None:
        """Return the value if it is in the cache, without waiting for a computation."""
        with self._lock:
            return self._cache.get(hashkey(key))
