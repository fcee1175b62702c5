"""Pure decisions: how certain it is which game a folder is, how its versions start, and what a run may import."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from math import prod

from msgspec import Struct, field

from playdock.content import naming
from playdock.content.evidence import Clue, ClueKind
from playdock.content.layouts import DEFAULT_VERSION
from playdock.content.naming import Name, version_key, words
from playdock.content.programs import stem_of
from playdock.domain.game_metadata.errors import LibraryRemoved, NoMetadata
from playdock.domain.libraries.schemas import BackendKind
from playdock.features.bulk_import.errors import FolderMissing, LibraryUnreachable
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import GameMetadata
from playdock.metadata.providers import Match, Reference
from playdock.metadata.ranking import LIKELY_SIMILARITY, is_extra, similarity
from playdock.stored import PlanCandidate, PlanClue, RunVersion, VersionProposal

# Two independent names that match exactly give 1 - 0.3 * 0.3 = 0.91, which is certain. One clue alone, except for a tag
# that somebody wrote into the folder's name, is not.
CERTAIN = 0.9
# As many as a person compares at a glance.
MAX_CANDIDATES = 5

# An id file on disk may belong to a launcher or to another edition of the game, so it needs a second clue.
_ID_WEIGHT = 0.85
# An id in the folder's name was written there by a person for this purpose.
_TAG_WEIGHT = 0.99
# A name, a program and a year each match many games; two of them together are certain (see CERTAIN).
_NAME_WEIGHT = 0.7
_PROGRAM_WEIGHT = 0.7
_YEAR_WEIGHT = 0.7
# Factors for doubts. All are below CERTAIN, so that one doubt is enough to leave the decision to a person.
_WRONG_YEAR_FACTOR = 0.5
_AMBIGUOUS_FACTOR = 0.7
_OTHER_ID_FACTOR = 0.6
_EXTRA_FACTOR = 0.5
_OTHER_NUMBER_FACTOR = 0.5
# The weight of a name falls with the square of its similarity and is 0 here.
_MIN_NAME_SIMILARITY = 0.5
# Below this similarity the name of a program counts nothing: many are called launcher, game or start.
_MIN_PROGRAM_SIMILARITY = 0.75
# The two clues that come from the program itself, and therefore do not confirm each other.
_PROGRAM, _VERSION_RESOURCE = "program", "version resource"
_YEAR = re.compile(r"[(\[]((?:19|20)\d\d)[)\]]")


class GameCandidate(Struct, frozen=True):
    """A game that a folder may be, with a confidence of 0 to 1 and the reasons for it."""

    match: Match
    confidence: float
    reasons: tuple[str, ...]


class FolderEvidence(Struct, frozen=True):
    """What is known of a folder without asking a provider: its name, the clues in it, and the name of its program."""

    folder: str
    clues: tuple[Clue, ...]
    program: str = ""

    @property
    def names(self) -> list[str]:
        """Return the distinct names that the game may have, most reliable first."""
        named = [clue.value for clue in self.clues if clue.kind is ClueKind.NAME]
        return list(dict.fromkeys(named))

    @property
    def year(self) -> int:
        """Return the year in parentheses or brackets in the folder's name, or 0."""
        found = _YEAR.search(self.folder)
        return int(found[1]) if found else 0

    def ids(self, source_id: str) -> list[str]:
        """Return the ids that the game may have at a provider."""
        return [clue.value for clue in self.clues if clue.kind is ClueKind.ID and clue.source == source_id]


def score_candidates(evidence: FolderEvidence, matches: Sequence[Match]) -> list[GameCandidate]:
    """Return the games that a folder may be, most likely first. Independent clues add up."""
    candidates = [_candidate(evidence, match, matches) for match in _distinct(matches)]
    plausible = [candidate for candidate in candidates if candidate.confidence > 0]
    return sorted(plausible, key=lambda each: (each.confidence, each.match.similarity), reverse=True)[:MAX_CANDIDATES]


def is_certain(candidates: Sequence[GameCandidate]) -> bool:
    """Return whether the first candidate is certain, and more likely than all others of its provider."""
    if not candidates or candidates[0].confidence < CERTAIN:
        return False
    first = candidates[0]
    rivals = [each for each in candidates[1:] if each.match.reference.source_id == first.match.reference.source_id]
    return all(each.confidence < first.confidence for each in rivals)


def _distinct(matches: Iterable[Match]) -> list[Match]:
    found: dict[tuple[str, str], Match] = {}
    for match in matches:
        found.setdefault((match.reference.source_id, match.reference.id), match)
    return list(found.values())


def _candidate(evidence: FolderEvidence, match: Match, matches: Sequence[Match]) -> GameCandidate:
    arguments = [each for each in _arguments(evidence, match) if each.weight > 0]
    if arguments and evidence.year and evidence.year == match.year:
        arguments.append(_Argument(f"year: {match.year}", "year", _YEAR_WEIGHT))
    confidence = _combined(arguments)
    for factor in _doubts(evidence, match, matches):
        confidence *= factor
    return GameCandidate(match, round(confidence, 4), tuple(dict.fromkeys(each.reason for each in arguments)))


def _doubts(evidence: FolderEvidence, match: Match, matches: Sequence[Match]) -> Iterator[float]:
    """Yield a factor that lowers the confidence for each argument against a game."""
    if evidence.year and match.year and evidence.year != match.year:
        yield _WRONG_YEAR_FACTOR
    ids = evidence.ids(match.reference.source_id)
    if match.reference.id in ids:
        return
    if ids:
        yield _OTHER_ID_FACTOR
    if is_extra(match.reference.name, among=evidence.names):
        yield _EXTRA_FACTOR
    if not (evidence.year and evidence.year == match.year) and _is_ambiguous(match, matches):
        yield _AMBIGUOUS_FACTOR


class _Argument(Struct, frozen=True):
    """An argument for a game, with a weight of 0 to 1. Of several with the same origin only the best counts."""

    reason: str
    origin: str
    weight: float


def _arguments(evidence: FolderEvidence, match: Match) -> Iterator[_Argument]:
    for clue in evidence.clues:
        origin = _PROGRAM if clue.source == _VERSION_RESOURCE else f"{clue.kind} {clue.source}"
        yield _Argument(_reason(clue), origin, _weight(clue, match, folder=evidence.folder))
    if evidence.program:
        weight = _PROGRAM_WEIGHT * _program_similarity(evidence.program, match)
        yield _Argument(f"program: {evidence.program}", _PROGRAM, weight)


def _combined(arguments: Iterable[_Argument]) -> float:
    """Return the probability that not all origins are wrong, given that they are independent."""
    best: dict[str, float] = {}
    for argument in arguments:
        best[argument.origin] = max(argument.weight, best.get(argument.origin, 0.0))
    return 1.0 - prod(1.0 - weight for weight in best.values())


def _program_similarity(program: str, match: Match) -> float:
    """Return the similarity of a program's name and the game's; 0 if it is low or their numbers differ."""
    if _numbers(program) != _numbers(match.reference.name):
        return 0.0
    similar = naming.similarity(Name.of(words(program)), Name.of(words(match.reference.name)))
    return similar if similar >= _MIN_PROGRAM_SIMILARITY else 0.0


def _weight(clue: Clue, match: Match, *, folder: str) -> float:
    """Return how strongly a clue supports a game, 0 to 1. An id in the folder's name is stronger than one in a file."""
    if clue.kind is ClueKind.ID:
        same = (clue.source, clue.value) == (match.reference.source_id, match.reference.id)
        return (_TAG_WEIGHT if clue.detail == folder else _ID_WEIGHT) if same else 0.0
    similar = similarity(clue.value, match.reference.name)
    weight = _NAME_WEIGHT * max(0.0, (similar - _MIN_NAME_SIMILARITY) / (1 - _MIN_NAME_SIMILARITY)) ** 2
    return weight if _numbers(clue.value) == _numbers(match.reference.name) else _OTHER_NUMBER_FACTOR * weight


def _numbers(name: str) -> set[str]:
    """Return the numbers in a name, because Doom is not Doom II."""
    return {word for word in words(name) if word.isdecimal()}


def _reason(clue: Clue) -> str:
    return f"{clue.source} id {clue.value}" if clue.kind is ClueKind.ID else f"{clue.source}: {clue.value}"


def _is_ambiguous(match: Match, matches: Sequence[Match]) -> bool:
    """Return whether the provider has another game of the same name.

    A numbered sequel that is older than the game also implies one: the first part.
    """
    name, reference = _without_year(match), match.reference
    others = [
        other
        for other in matches
        if other.reference.source_id == reference.source_id and other.reference.id != reference.id
    ]
    return any(_without_year(other) == name or _is_older_sequel(other, match) for other in others)


def _without_year(match: Match) -> tuple[str, ...]:
    return words(_YEAR.sub(" ", match.reference.name))


def _is_older_sequel(other: Match, match: Match) -> bool:
    *first_part, number = _without_year(other) or ("",)
    return tuple(first_part) == _without_year(match) and number.isdecimal() and 0 < other.year < match.year


class KnownGame(Struct, frozen=True):
    """A game in the store, its library, folder and layout, and whether it has metadata of a provider."""

    id: str
    name: str
    library_id: str
    library: str
    path: str
    has_metadata: bool
    layout: str


def can_be_version(game: KnownGame, *, library: str, versions: Collection[str]) -> bool:
    """Return whether a folder of a library, with some versions, can be added to a game as one of its versions."""
    return game.library_id == library and set(versions) == {DEFAULT_VERSION}


def remark_on(*, rival: str, imported: KnownGame | None, same: KnownGame | None, can_be_added: bool) -> Message | None:
    """Return a remark on a folder if its game was imported, or one with the same name, to which it may be added.

    Also if another folder, the ``rival``, is certain to be the same game.
    """
    known = imported or same
    if known and can_be_added:
        return Message("name-in-store-beside", game=known.name, folder=known.path)
    if imported:
        return Message("imported-from-folder", folder=imported.path)
    if rival:
        return Message("taken-by-folder", folder=rival)
    if same is None:
        return None
    code = "name-in-store-alone" if same.layout == BackendKind.FLAT_FILESYSTEM else "name-in-store"
    return Message(code, game=same.name, library=same.library, folder=same.path)


def is_likely(match: Match) -> bool:
    """Return whether a match is good enough that no further provider is searched."""
    return match.similarity >= LIKELY_SIMILARITY


def in_order(versions: Iterable[str]) -> list[str]:
    """Return versions oldest first, so that the newest one is imported last and becomes the current one."""
    return sorted(versions, key=version_key)


def program_name(proposals: Iterable[VersionProposal]) -> str:
    """Return the name of the program that starts the newest version, or ""."""
    launches = [each.launch for each in proposals if each.launch]
    return stem_of(launches[-1]) if launches else ""


class PlanSort(StrEnum):
    """The order of the plan's rows."""

    CONFIDENCE = "confidence"
    FOLDER = "folder"


class ProviderAnswers(Struct, frozen=True):
    """The matches that providers returned, and by provider the errors of those that failed."""

    matches: list[Match] = field(default_factory=list)
    faults: dict[str, Message] = field(default_factory=dict)


class RunContext(Struct, frozen=True):
    """What a batch of rows is imported with: the folders by library, and the metadata or the error of each provider.

    ``folders`` has no entry for a library that was removed, and None for one that cannot be read.
    """

    folders: Mapping[str, Collection[str] | None]
    facts: dict[str, Mapping[str, GameMetadata]] = field(default_factory=dict)
    faults: dict[str, NoMetadata] = field(default_factory=dict)

    def refuse_absent(self, library_id: str, path: str) -> None:
        """Raise an error unless the library lists the folder.

        Raises:
            LibraryRemoved, LibraryUnreachable, FolderMissing: The folder cannot be imported.
        """
        if library_id not in self.folders:
            raise LibraryRemoved
        folders = self.folders[library_id]
        if folders is None:
            raise LibraryUnreachable
        if path not in folders:
            raise FolderMissing

    def of(self, reference: Reference) -> GameMetadata:
        """Return the metadata of a game.

        Raises:
            NoMetadata: The provider failed, or has no such game.
        """
        if reference.source_id in self.faults:
            raise self.faults[reference.source_id]
        facts = self.facts.get(reference.source_id, {}).get(reference.id)
        if facts is None:
            raise NoMetadata(Message("provider-no-game", provider=reference.source_id, id=reference.id))
        return facts


def stored_clue(clue: Clue) -> PlanClue:
    return PlanClue(kind=clue.kind.value, source=clue.source, value=clue.value, detail=clue.detail)


def stored_candidate(candidate: GameCandidate) -> PlanCandidate:
    match = candidate.match
    return PlanCandidate(
        id=match.reference.id,
        source_id=match.reference.source_id,
        source_name=match.source_name,
        name=match.reference.name,
        year=match.year,
        icon=match.icon,
        description=match.description,
        confidence=candidate.confidence,
        reasons=candidate.reasons,
    )


def import_request(game_id: str, chosen: RunVersion) -> VersionImportRequest:
    """Return the request that imports a selected version into a game."""
    return VersionImportRequest(
        id=game_id,
        version=chosen.version,
        platform=chosen.platform,
        delta=False,
        only_setup=chosen.only_setup,
        launch=chosen.launch,
        launch_args=chosen.launch_args,
        setup=chosen.setup,
        setup_args=chosen.setup_args,
    )
