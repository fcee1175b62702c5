"""The port that providers have in common, and the registry of those that are set up."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reference:
    """A game as a provider knows it: its id there, and its name."""

    source_id: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class GameFacts:
    """What a provider knows of a game."""

    name: str


class MetadataProvider(Protocol):
    """Somebody who knows games."""

    @property
    def source_id(self) -> str:
        """Give the provider's id on the wire, such as ``Steam``."""

    def fetch(self, reference: Reference) -> GameFacts:
        """Tell what is known of a game."""


@dataclass(frozen=True, slots=True)
class Manual:
    """The administrator's own word."""

    source_id: str = "Manual"

    def fetch(self, reference: Reference) -> GameFacts:
        return GameFacts(name=reference.name)


class Providers:
    """The providers that are set up, by their id."""

    def __init__(self, providers: Iterable[MetadataProvider]) -> None:
        self._providers = {provider.source_id: provider for provider in providers}

    @property
    def names(self) -> list[str]:
        return sorted(self._providers)

    def find(self, source_id: str) -> MetadataProvider | None:
        return self._providers.get(source_id)
