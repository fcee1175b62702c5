"""What is asked of a provider once and then remembered."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from playdock.identity.errors import ProviderAway
from playdock.identity.remembering import Remembered
from world import FakeClock, at_once


@dataclass
class _Provider:
    """Counts how often it is asked; away while ``away``."""

    asked: int = 0
    away: bool = False
    clock: FakeClock = field(default_factory=FakeClock)

    def answer(self) -> int:
        self.asked += 1
        if self.away:
            raise ProviderAway("is away")
        return self.asked

    def remembered(self) -> Remembered[int]:
        return Remembered(self.answer, self.clock, good_for=timedelta(hours=1))


def test_an_answer_is_good_for_a_while() -> None:
    provider = _Provider()
    remembered = provider.remembered()
    assert (remembered.get(), remembered.get()) == (1, 1)
    provider.clock.advance(hours=1)
    assert remembered.get() == 2


def test_what_is_forgotten_is_asked_again() -> None:
    remembered = _Provider().remembered()
    remembered.get()
    remembered.forget()
    assert remembered.get() == 2


def test_a_failure_is_remembered_for_seconds() -> None:
    provider = _Provider(away=True)
    remembered = provider.remembered()
    for _ in range(5):
        with pytest.raises(ProviderAway):
            remembered.get()
    assert provider.asked == 1
    provider.away = False
    provider.clock.advance(seconds=5)
    assert remembered.get() == 2


def test_many_at_once_ask_once() -> None:
    remembered = _Provider().remembered()
    assert at_once([remembered.get] * 8) == [1] * 8
