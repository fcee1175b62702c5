"""Pure decisions of a plan: how sure it is which game a folder is, and how its versions are started."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from playdock.content import naming
from playdock.content.evidence import Clue, ClueKind
from playdock.content.guesses import Guess
from playdock.content.naming import Name, version_key, words
from playdock.content.programs import SETUP_WORDS, stem_of, suffix_of
from playdock.metadata.providers import Match
from playdock.metadata.ranking import is_extra, likeness

CERTAIN = 0.9
MOST_CANDIDATES = 5

_ID_WEIGHT = 0.85
_TAG_WEIGHT = 0.99
_NAME_WEIGHT = 0.7
_PROGRAM_WEIGHT = 0.7
_YEAR_WEIGHT = 0.7
_WRONG_YEAR = 0.5
_AMBIGUOUS = 0.7
_AGAINST_AN_ID = 0.6
_EXTRA = 0.5
_OTHER_NUMBER = 0.5
_UNLIKE = 0.5
_LIKELY = 0.85
_LIKE_THE_GAME = 0.75
_PROGRAM, _PROGRAMS_OWN_WORD = "program", "version resource"
_YEAR = re.compile(r"[(\[]((?:19|20)\d\d)[)\]]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A game that a folder may be, and why."""

    match: Match
    confidence: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a folder before anybody is asked: its name there, the clues, the programs by their match."""

    folder: str
    clues: tuple[Clue, ...]
    program: str = ""

    @property
    def names(self) -> list[str]:
        """Give the names it may have, the surest first, each once."""
        named = [clue.value for clue in self.clues if clue.kind is ClueKind.NAME]
        return list(dict.fromkeys(named))

    @property
    def year(self) -> int:
        """Give the year that the folder's name tells, 0 if it does not."""
        found = _YEAR.search(self.folder)
        return int(found[1]) if found else 0

    def ids(self, source_id: str) -> list[str]:
        """Give the ids that the game may have at a provider."""
        return [clue.value for clue in self.clues if clue.kind is ClueKind.ID and clue.source == source_id]


def judge(findings: Findings, matches: Sequence[Match]) -> list[Candidate]:
    """Give the games that a folder may be, the likeliest first; clues that do not depend on each other add up."""
    candidates = [_candidate(findings, match, matches) for match in _each_once(matches)]
    worth = [candidate for candidate in candidates if candidate.confidence > 0]
    return sorted(worth, key=lambda each: (each.confidence, each.match.likeness), reverse=True)[:MOST_CANDIDATES]


def is_certain(candidates: Sequence[Candidate]) -> bool:
    """Tell whether the first candidate can be taken without asking: sure, and surer than others of its provider."""
    if not candidates or candidates[0].confidence < CERTAIN:
        return False
    first = candidates[0]
    rivals = [each for each in candidates[1:] if each.match.reference.source_id == first.match.reference.source_id]
    return all(each.confidence < first.confidence for each in rivals)


def _each_once(matches: Iterable[Match]) -> list[Match]:
    found: dict[tuple[str, str], Match] = {}
    for match in matches:
        found.setdefault((match.reference.source_id, match.reference.id), match)
    return list(found.values())


def _candidate(findings: Findings, match: Match, matches: Sequence[Match]) -> Candidate:
    said = [each for each in _said(findings, match) if each.weight > 0]
    if said and findings.year and findings.year == match.year:
        said.append(_Said(f"year: {match.year}", "year", _YEAR_WEIGHT))
    confidence = _together(said)
    for doubt in _doubts(findings, match, matches):
        confidence *= doubt
    return Candidate(match, round(confidence, 4), tuple(dict.fromkeys(each.reason for each in said)))


def _doubts(findings: Findings, match: Match, matches: Sequence[Match]) -> Iterator[float]:
    """Give by how much each thing that speaks against a game lowers the confidence, as a factor."""
    if findings.year and match.year and findings.year != match.year:
        yield _WRONG_YEAR
    ids = findings.ids(match.reference.source_id)
    if match.reference.id in ids:
        return
    if ids:
        yield _AGAINST_AN_ID
    if is_extra(match.reference.name, among=findings.names):
        yield _EXTRA
    if not (findings.year and findings.year == match.year) and _may_be_another(match, matches):
        yield _AMBIGUOUS


@dataclass(frozen=True, slots=True)
class _Said:
    """One thing that speaks for a game, and how much, 0 to 1. What has one witness does not add up."""

    reason: str
    witness: str
    weight: float


def _said(findings: Findings, match: Match) -> Iterator[_Said]:
    for clue in findings.clues:
        witness = _PROGRAM if clue.source == _PROGRAMS_OWN_WORD else f"{clue.kind} {clue.source}"
        yield _Said(_reason(clue), witness, _weight(clue, match, folder=findings.folder))
    if findings.program:
        weight = _PROGRAM_WEIGHT * _program_likeness(findings.program, match)
        yield _Said(f"program: {findings.program}", _PROGRAM, weight)


def _together(said: Iterable[_Said]) -> float:
    """Give how sure witnesses that do not depend on each other make it together."""
    heaviest: dict[str, float] = {}
    for each in said:
        heaviest[each.witness] = max(each.weight, heaviest.get(each.witness, 0.0))
    return 1.0 - prod(1.0 - weight for weight in heaviest.values())


def _program_likeness(program: str, match: Match) -> float:
    """Give how much the program that starts a game is called like it, nothing if only a little or by another number."""
    if _numbers(program) != _numbers(match.reference.name):
        return 0.0
    alike = naming.likeness(Name.of(words(program)), Name.of(words(match.reference.name)))
    return alike if alike >= _LIKE_THE_GAME else 0.0


def _weight(clue: Clue, match: Match, *, folder: str) -> float:
    """Give how much a clue says for a game, 0 to 1; an id that somebody wrote into the folder's name says it all."""
    if clue.kind is ClueKind.ID:
        same = (clue.source, clue.value) == (match.reference.source_id, match.reference.id)
        return (_TAG_WEIGHT if clue.detail == folder else _ID_WEIGHT) if same else 0.0
    alike = likeness(clue.value, match.reference.name)
    weight = _NAME_WEIGHT * max(0.0, (alike - _UNLIKE) / (1 - _UNLIKE)) ** 2
    return weight if _numbers(clue.value) == _numbers(match.reference.name) else _OTHER_NUMBER * weight


def _numbers(name: str) -> set[str]:
    """Give the numbers in a name: Doom is not Doom II."""
    return {word for word in words(name) if word.isdecimal()}


def _reason(clue: Clue) -> str:
    return f"{clue.source} id {clue.value}" if clue.kind is ClueKind.ID else f"{clue.source}: {clue.value}"


def _may_be_another(match: Match, matches: Sequence[Match]) -> bool:
    """Tell whether there is another game of the same name.

    Either the provider has it, or it has a numbered sequel that is older than the game: then there was a first part.
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


def taken(*, rival: str, imported: str) -> str:
    """Say who has a folder's game already: another folder (``rival``) or one that was imported; empty for nobody."""
    if imported:
        return f"This game has been imported already, from the folder {imported}."
    return f"The folder {rival} is taken for the same game. Import one of them." if rival else ""


def is_likely(match: Match) -> bool:
    """Tell whether a match is good enough not to ask the next provider."""
    return match.likeness >= _LIKELY


@dataclass(frozen=True, slots=True)
class VersionProposal:
    """How a version could be imported; ``remark`` says why it cannot, without somebody's help."""

    version: str
    platform: str = ""
    only_setup: bool = False
    launch: str = ""
    setup: str = ""
    match: float = 0.0
    remark: str = ""


def propose(version: str, guesses: Sequence[Guess]) -> VersionProposal:
    """Choose what launches a version, or, where there is nothing but an installer, what sets it up."""
    likely = [guess for guess in guesses if guess.match > 0]
    if not likely:
        return VersionProposal(version, remark="Nothing in it looks like a program that starts the game.")
    game = next((guess for guess in likely if not _sets_up(guess.filename)), None)
    if game is not None:
        return VersionProposal(version, game.platform, launch=game.filename, match=game.match)
    return VersionProposal(
        version, likely[0].platform, only_setup=True, setup=likely[0].filename, match=likely[0].match
    )


def _sets_up(filename: str) -> bool:
    return suffix_of(filename.rpartition("/")[2]) == "msi" or not SETUP_WORDS.isdisjoint(words(stem_of(filename)))


def in_order(versions: Iterable[str]) -> list[str]:
    """Give versions oldest first, so that the newest is imported last."""
    return sorted(versions, key=version_key)


def program_name(proposals: Iterable[VersionProposal]) -> str:
    """Give the name of the program that starts the newest version, empty where there is none."""
    launches = [each.launch for each in proposals if each.launch]
    return stem_of(launches[-1]) if launches else ""
