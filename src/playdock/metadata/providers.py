"""The port that providers have in common, and the registry of those that are set up."""

from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class Match:
    """A game that a provider, named for people, found: `year` is 0 when unknown, `likeness` to the search 0 to 1."""

    reference: Reference
    source_name: str
    likeness: float
    description: str = ""
    icon: str = ""
    year: int = 0


class MetadataProvider(Protocol):
    """Somebody who knows games."""

    @property
    def source_id(self) -> str:
        """Give the provider's id on the wire, such as ``Steam``."""

    def search(self, query: str) -> Sequence[Match]:
        """Look for games, in whatever order; a provider that cannot search finds nothing."""

    def fetch(self, reference: Reference) -> GameFacts:
        """Tell what is known of a game."""


@dataclass(frozen=True, slots=True)
class Manual:
    """The administrator's own word."""

    source_id: str = "Manual"

    def search(self, query: str) -> Sequence[Match]:  # noqa: ARG002 - there is nothing to look in
        return ()

    def fetch(self, reference: Reference) -> GameFacts:
        return GameFacts(name=reference.name)


class Providers:
    """The providers that are set up, by their id."""

    def __init__(self, providers: Iterable[MetadataProvider]) -> None:
        self._providers = {provider.source_id: provider for provider in providers}

    @property
    def names(self) -> list[str]:
        return sorted(self._providers)

    def search(self, query: str) -> list[Match]:
        """Ask all providers, and give what they found, the likeliest first."""
        found = [match for provider in self._providers.values() for match in provider.search(query)]
        return sorted(found, key=lambda match: match.likeness, reverse=True)

    def find(self, source_id: str) -> MetadataProvider | None:
        return self._providers.get(source_id)
