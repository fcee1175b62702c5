"""The task that computes the plan: it looks at every folder, asks the providers, and writes a row for each."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import msgspec

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.evidence import Clue, ClueKind, distinct
from playdock.content.naming import title
from playdock.features.catalogue.service import Patience
from playdock.features.games import queries as game_queries
from playdock.features.import_plan import queries, rules
from playdock.features.import_plan.rules import Candidate, Findings, VersionProposal
from playdock.features.import_plan.schemas import CandidateAnswer, ClueAnswer, ProposedVersion
from playdock.features.import_plan.service import GROUP, listed
from playdock.features.libraries import queries as library_queries
from playdock.features.libraries.service import backend_of
from playdock.features.version_import.service import guesses_of
from playdock.fetching.web import Deadline
from playdock.jobs.work import Work
from playdock.kit.secrets import new_id
from playdock.metadata.errors import ProviderFault
from playdock.metadata.providers import Ability, Match, MetadataProvider, Providers, match_of_facts, matches_of
from playdock.models import Library, PlanRow
from playdock.storage.backends import LibraryBackend, NotListed, PlaceUnusable
from playdock.storage.clues import find_clues

_T = TypeVar("_T")

_PIECE = 25
_MOST_NAMES = 2
_MOST_VERSIONS = 30
_ASK_SECONDS = 20.0
# A provider that is away costs seconds for every name: a plan of 600 folders would take hours.
_MOST_TIMES_AWAY = 3


@dataclass(frozen=True, slots=True)
class Folder:
    """An unimported folder of a library."""

    library: Library
    path: str


@dataclass(frozen=True, slots=True)
class Looked:
    """What a folder told, before anybody was asked."""

    folder: Folder
    findings: Findings
    versions: tuple[VersionProposal, ...]


@dataclass(frozen=True, slots=True)
class PlanImports:
    """Computes the plan: a row for each folder that has none yet, or for all of them."""

    providers: Providers
    group: str = GROUP

    def run(self, work: Work) -> None:
        folders = list(_to_plan(work))
        work.log(f"There are {len(folders):,} folders to look at.")
        inquiry = Inquiry(self.providers, Patience(work))
        for start in range(0, len(folders), _PIECE):
            looked = [_look(folder) for folder in folders[start : start + _PIECE]]
            known = inquiry.known(looked)
            for position, each in enumerate(looked, start=start):
                work.advance(position, len(folders))
                row = inquiry.row(each, known, at=work.clock())
                with work.checkpoint() as session:
                    if library_queries.hold(session, row.library_id):
                        queries.put_row(session, row)


@dataclass(frozen=True, slots=True)
class Answers:
    """What providers told, and by provider why some did not."""

    matches: list[Match] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Asks providers which games folders are; one that was away several times in a row is not asked again."""

    providers: Providers
    patience: Patience
    _away: Counter[str] = field(default_factory=Counter)

    def known(self, looked: Sequence[Looked]) -> Answers:
        """Ask for all games whose ids lie on disk, each provider once."""
        known = Answers()
        for provider in self.providers.able(Ability.FETCH):
            ids = list(dict.fromkeys(each_id for each in looked for each_id in each.findings.ids(provider.source_id)))
            try:
                facts = self._ask(provider, partial(self.patience.facts, provider, ids)) if ids else {}
            except ProviderFault as reason:
                known.faults[provider.source_id] = str(reason)
                continue
            known.matches.extend(match_of_facts(provider, game_id, each) for game_id, each in facts.items())
        return known

    def row(self, looked: Looked, known: Answers, *, at: datetime) -> PlanRow:
        """Judge a folder by what lies on disk and, if that does not settle it, by what a search finds."""
        findings = looked.findings
        matches = [match for match in known.matches if match.reference.id in findings.ids(match.reference.source_id)]
        faults = [fault for source_id, fault in known.faults.items() if findings.ids(source_id)]
        candidates = rules.judge(findings, matches)
        if not rules.is_certain(candidates):
            found = self._searched(findings)
            candidates = rules.judge(findings, [*matches, *found.matches])
            faults += found.faults.values()
        remark = "" if rules.is_certain(candidates) else " ".join(dict.fromkeys(faults))
        return _plan_row(looked, candidates, remark=remark, at=at)

    def _searched(self, findings: Findings) -> Answers:
        """Search by the likeliest names, one provider after the other until one knows the game."""
        found = Answers()
        for name in findings.names[:_MOST_NAMES]:
            for provider in self.providers.able(Ability.SEARCH):
                try:
                    found.matches.extend(self._asked(provider, name))
                except ProviderFault as reason:
                    found.faults[provider.source_id] = str(reason)
                if any(rules.is_likely(match) for match in found.matches):
                    return Answers(found.matches)
        return found

    def _asked(self, provider: MetadataProvider, name: str) -> list[Match]:
        search = partial(self.patience.ask, provider, lambda: matches_of(provider, name, Deadline.after(_ASK_SECONDS)))
        return self._ask(provider, search)

    def _ask(self, provider: MetadataProvider, call: Callable[[], _T]) -> _T:
        if self._away[provider.source_id] == _MOST_TIMES_AWAY:
            raise ProviderFault(provider.name, "was away and is not asked again; look again when it is back")
        try:
            answer = call()
        except ProviderFault as reason:
            self._away[provider.source_id] += reason.passes
            raise
        del self._away[provider.source_id]
        return answer


def _to_plan(work: Work) -> Iterator[Folder]:
    """Give the folders without a row, or all of them; rows of folders that are not there any more are dropped."""
    with work.db.read() as session:
        libraries = library_queries.everything(session)
    for library in libraries:
        with work.db.read() as session:
            imported = game_queries.imported_paths(session, library.id)
            planned = queries.planned(session, library.id)
        unimported = listed(library, but=imported)
        if unimported is None:
            work.log(f"The library {library.name} cannot be read now.", level="warn")
            continue
        with work.checkpoint() as session:
            queries.forget_rows(session, library.id, set(planned) - unimported)
        fresh = work.arguments["fresh"]
        done = {path for path, row in planned.items() if row.holds(since=work.task.created, fresh=fresh)}
        yield from (Folder(library, path) for path in sorted(unimported - done))


def _look(folder: Folder) -> Looked:
    """Look at a folder: what tells which game it is, and what starts each of its versions."""
    backend = backend_of(folder.library)
    clues: list[Clue] = []
    proposals: list[VersionProposal] = []
    with suppress(PlaceUnusable):
        for name in rules.in_order(backend.versions_of_listed(folder.path))[-_MOST_VERSIONS:]:
            proposal, found = _look_into(backend, folder, name)
            proposals.append(proposal)
            clues += found
        clues += _beside(backend, folder)
    clues.append(Clue(ClueKind.NAME, "folder name", title(folder.path), folder.path))
    return Looked(folder, Findings(folder.path, distinct(clues), rules.program_name(proposals)), tuple(proposals))


def _look_into(backend: LibraryBackend, folder: Folder, version: str) -> tuple[VersionProposal, Sequence[Clue]]:
    try:
        tree = backend.open_listed(folder.path, version)
        guesses = guesses_of(tree, game=title(folder.path), folders=(folder.path, version))
        return rules.propose(version, guesses), find_clues(tree, game=folder.path, folders=(version,))
    except (PlaceUnusable, NotListed, UnusableVersion, VersionChanged, OSError) as reason:
        return VersionProposal(version, remark=_said(reason)), ()


def _beside(backend: LibraryBackend, folder: Folder) -> Sequence[Clue]:
    """Look at what lies in the game's folder beside its versions."""
    try:
        tree = backend.beside(folder.path)
        return find_clues(tree, game=folder.path) if tree else ()
    except (PlaceUnusable, NotListed, UnusableVersion, VersionChanged, OSError):
        return ()


def _said(reason: Exception) -> str:
    return str(reason) if isinstance(reason, UnusableVersion | VersionChanged) else "It cannot be read."


def _plan_row(looked: Looked, candidates: Sequence[Candidate], *, remark: str, at: datetime) -> PlanRow:
    folder = looked.folder
    likeliest = candidates[0].match.reference if candidates else None
    return PlanRow(
        id=new_id(),
        library_id=folder.library.id,
        path=folder.path,
        title=title(folder.path),
        certain=rules.is_certain(candidates),
        confidence=candidates[0].confidence if candidates else 0.0,
        source_id=likeliest.source_id if likeliest else None,
        metadata_id=likeliest.id if likeliest else None,
        clues=[_plain(_clue(clue)) for clue in looked.findings.clues],
        candidates=[_plain(_candidate(each)) for each in candidates],
        versions=[_plain(_proposal(each)) for each in looked.versions],
        remark=remark,
        computed=at,
    )


def _plain(answer: Any) -> Mapping[str, Any]:
    plain: Mapping[str, Any] = msgspec.to_builtins(answer)
    return plain


def _clue(clue: Clue) -> ClueAnswer:
    return ClueAnswer(kind=clue.kind.value, source=clue.source, value=clue.value, detail=clue.detail)


def _candidate(each: Candidate) -> CandidateAnswer:
    match = each.match
    return CandidateAnswer(
        id=match.reference.id,
        source_id=match.reference.source_id,
        source_name=match.source_name,
        name=match.reference.name,
        year=match.year,
        icon=match.icon,
        description=match.description,
        confidence=each.confidence,
        reasons=list(each.reasons),
    )


def _proposal(each: VersionProposal) -> ProposedVersion:
    return ProposedVersion(
        version=each.version,
        platform=each.platform,
        only_setup=each.only_setup,
        launch=each.launch,
        setup=each.setup,
        match=each.match,
        remark=each.remark,
    )
