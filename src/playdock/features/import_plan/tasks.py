"""The task that computes the plan: it looks at every folder, asks the providers, and writes a row for each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.evidence import Clue, ClueKind, distinct
from playdock.content.naming import title
from playdock.features.catalogue.errors import NothingKnown
from playdock.features.catalogue.service import Catalogue
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
from playdock.metadata.errors import ProviderFault, TooOften
from playdock.metadata.providers import Ability, Match, MetadataProvider, match_of_facts, matches_of
from playdock.models import Library, PlanRow
from playdock.storage.backends import LibraryBackend, NotListed, PlaceUnusable
from playdock.storage.clues import find_clues

_PIECE = 25
_MOST_NAMES = 2
_MOST_VERSIONS = 30
_ASK_SECONDS = 20.0
_PAUSE_SECONDS = 2.0
_MOST_PAUSES = 300


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

    catalogue: Catalogue
    group: str = GROUP

    def run(self, work: Work) -> None:
        folders = list(_to_plan(work))
        work.log(f"There are {len(folders):,} folders to look at.")
        for start in range(0, len(folders), _PIECE):
            looked = [_look(folder) for folder in folders[start : start + _PIECE]]
            known = self._known(looked)
            for position, each in enumerate(looked, start=start):
                work.advance(position, len(folders))
                row = self._row(work, each, known)
                with work.checkpoint() as session:
                    queries.put_row(session, row)

    def _known(self, looked: Sequence[Looked]) -> list[Match]:
        """Ask for all games whose ids lie on disk, each provider once."""
        found: list[Match] = []
        for provider in self.catalogue.providers.able(Ability.FETCH):
            ids = list(dict.fromkeys(each_id for each in looked for each_id in each.findings.ids(provider.source_id)))
            if ids:
                found += self._fetched(provider, ids)
        return found

    def _fetched(self, provider: MetadataProvider, ids: Sequence[str]) -> list[Match]:
        try:
            facts = self.catalogue.facts(provider, ids)
        except NothingKnown:
            return []
        return [match_of_facts(provider, game_id, each) for game_id, each in facts.items()]

    def _row(self, work: Work, looked: Looked, known: Sequence[Match]) -> PlanRow:
        findings = looked.findings
        matches = [match for match in known if match.reference.id in findings.ids(match.reference.source_id)]
        remark = ""
        candidates = rules.judge(findings, matches)
        if not rules.is_certain(candidates):
            found, remark = self._searched(work, findings)
            candidates = rules.judge(findings, [*matches, *found])
        return _plan_row(looked, candidates, remark=remark, at=work.clock())

    def _searched(self, work: Work, findings: Findings) -> tuple[list[Match], str]:
        """Search by the likeliest names, one provider after the other until one knows the game."""
        found: list[Match] = []
        faults: list[str] = []
        providers = self.catalogue.providers.able(Ability.SEARCH)
        for name in findings.names[:_MOST_NAMES]:
            for provider in providers:
                try:
                    found += _ask(work, provider, name)
                except ProviderFault as reason:
                    faults.append(str(reason))
                if any(rules.is_likely(match) for match in found):
                    return found, ""
        return found, "" if found or not faults else " ".join(dict.fromkeys(faults))


def _ask(work: Work, provider: MetadataProvider, name: str) -> list[Match]:
    """Search for a name, and wait for as long as the provider may not be asked."""
    for _ in range(_MOST_PAUSES):
        work.check()
        try:
            return matches_of(provider, name, Deadline.after(_ASK_SECONDS))
        except TooOften:
            work.stopping.wait(_PAUSE_SECONDS)
    raise TooOften(provider.name)


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
        tree = backend.open(folder.path, version)
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
    return PlanRow(
        id=new_id(),
        library_id=folder.library.id,
        path=folder.path,
        title=title(folder.path),
        certain=rules.is_certain(candidates),
        confidence=candidates[0].confidence if candidates else 0.0,
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
