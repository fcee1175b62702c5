"""A second look: another call of a provider that may find what a first one did not."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from playdock.metadata.errors import ProviderFault

_T = TypeVar("_T")


def or_nothing(look: Callable[[], Sequence[_T]]) -> Sequence[_T]:
    """Give what a second look finds: nothing where a provider, or what stands in for it, has no such call.

    The first look has answered the question, so only a fault that passes is worth telling.

    Raises:
        ProviderFault: it cannot be had now, and may later.
    """
    try:
        return look()
    except ProviderFault as fault:
        if fault.passes:
            raise
        return ()
