"""Work on many objects, several at the same time."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, islice
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Disks and S3 servers do several at the same time.
_THREADS = 8
_AT_ONCE = 256


def results(
    work: Callable[[_Item], _Result], items: Iterable[_Item], *, alone: Callable[[_Item], bool] = lambda _item: False
) -> Generator[_Result, None, None]:
    """Yield what ``work`` returns for each item, in their order. Those that are ``alone`` are worked on by themselves.

    An error ends it, after the work that has begun.
    """
    remaining = iter(items)
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="objects") as pool:
        while some := list(islice(remaining, _AT_ONCE)):
            for is_alone, group in groupby(some, key=alone):
                items_here = list(group)
                yield from map(work, items_here) if is_alone else pool.map(work, items_here)
