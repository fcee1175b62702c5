"""The cache of a value from the identity provider."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from playdock.identity.cached_value import CachedValue
from playdock.identity.errors import IdentityProviderUnavailable
from world import FakeClock, at_once


@dataclass
class _Provider:
    """Counts how often the value is fetched; fetching fails while ``unavailable``."""

    fetches: int = 0
    unavailable: bool = False
    clock: FakeClock = field(default_factory=FakeClock)

    def fetch(self) -> int:
        self.fetches += 1
        if self.unavailable:
            raise IdentityProviderUnavailable("is away")
        return self.fetches

    def cached_value(self) -> CachedValue[int]:
        return CachedValue(self.fetch, self.clock, lifetime=timedelta(hours=1))


def test_a_value_is_cached_for_its_lifetime() -> None:
    provider = _Provider()
    cached_value = provider.cached_value()
    assert (cached_value.get(), cached_value.get()) == (1, 1)
    provider.clock.advance(hours=1)
    assert cached_value.get() == 2


def test_a_cleared_value_is_fetched_again() -> None:
    cached_value = _Provider().cached_value()
    cached_value.get()
    cached_value.clear()
    assert cached_value.get() == 2


def test_a_failure_is_cached_for_three_seconds() -> None:
    provider = _Provider(unavailable=True)
    cached_value = provider.cached_value()
    for _ in range(5):
        with pytest.raises(IdentityProviderUnavailable):
            cached_value.get()
    assert provider.fetches == 1
    provider.unavailable = False
    provider.clock.advance(seconds=5)
    assert cached_value.get() == 2


def test_concurrent_uses_fetch_once() -> None:
    cached_value = _Provider().cached_value()
    assert at_once([cached_value.get] * 8) == [1] * 8
