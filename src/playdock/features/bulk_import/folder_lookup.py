"""What a folder may be: the clues in it, its versions, and the answers of providers, as a row of the plan."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TypeVar

from msgspec import Struct, field

from playdock import stored
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.evidence import Clue, ClueKind, distinct
from playdock.content.naming import title
from playdock.domain.game_metadata.service import ProviderRetries
from playdock.domain.libraries.rules import not_ignored
from playdock.domain.libraries.service import rules_of
from playdock.features.bulk_import import rules
from playdock.features.bulk_import.rules import FolderEvidence, GameCandidate, ProviderAnswers
from playdock.features.version_import import rules as version_rules
from playdock.features.version_import.proposing import propose
from playdock.fetching.requests import Deadline
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message, code_of, join, parameters_of
from playdock.metadata.errors import ProviderError
from playdock.metadata.providers import (
    Capability,
    Match,
    MetadataProvider,
    Providers,
    match_of_metadata,
    matches_of,
)
from playdock.models import Library, PlanRow
from playdock.storage.backends import LibraryBackend, NotListed
from playdock.storage.clues import find_clues
from playdock.storage.library_policy import LocationUnusable
from playdock.stored import VersionProposal

_T = TypeVar("_T")

# The most reliable names; each costs one search at each provider.
_MAX_NAMES = 2
# The newest versions of a folder: each is opened, and archives of many versions take long.
_MAX_VERSIONS = 30
# No page waits for this search, so that a slow provider may take this long.
_SEARCH_SECONDS = 20.0
# An unreachable provider costs seconds for every name: a plan of 600 folders would take hours.
_MAX_CONSECUTIVE_FAILURES = 3


class UnimportedFolder(Struct, frozen=True):
    """An unimported folder of a library, and when it was last looked up if a provider could not be asked then."""

    library: Library
    path: str
    looked_up: datetime | None


class FolderScan(Struct, frozen=True):
    """What was found in a folder before a provider was asked."""

    folder: UnimportedFolder
    evidence: FolderEvidence
    versions: tuple[VersionProposal, ...]


class ProviderLookup(Struct, frozen=True):
    """Asks providers which games folders are. A provider that fails several times in a row is not asked again."""

    providers: Providers
    retries: ProviderRetries
    # The reasons of the last calls of a provider, which all failed.
    _failures: dict[str, list[Message]] = field(default_factory=dict)

    @property
    def has_given_up(self) -> bool:
        """Whether a provider is not asked any more."""
        return any(len(reasons) == _MAX_CONSECUTIVE_FAILURES for reasons in self._failures.values())

    def fetch_by_id(self, scans: Sequence[FolderScan]) -> ProviderAnswers:
        """Fetch all games whose ids were found on disk, in one request to each provider."""
        answers = ProviderAnswers()
        for provider in self.providers.with_capability(Capability.FETCH):
            ids = list(dict.fromkeys(game_id for scan in scans for game_id in scan.evidence.ids(provider.source_id)))
            try:
                facts = self._call(provider, partial(self.retries.facts, provider, ids)) if ids else {}
            except ProviderError as reason:
                answers.faults[provider.source_id] = reason.message
                continue
            answers.matches.extend(match_of_metadata(provider, game_id, each) for game_id, each in facts.items())
        return answers

    def plan_row(self, scan: FolderScan, answers: ProviderAnswers, *, at: datetime) -> PlanRow:
        """Match a folder by the ids in it, and if that is not certain, by a search for its names."""
        evidence = scan.evidence
        matches = [match for match in answers.matches if match.reference.id in evidence.ids(match.reference.source_id)]
        faults = [fault for source_id, fault in answers.faults.items() if evidence.ids(source_id)]
        candidates = rules.score_candidates(evidence, matches)
        if not rules.is_certain(candidates):
            found = self._search(evidence)
            candidates = rules.score_candidates(evidence, [*matches, *found.matches])
            faults += found.faults.values()
        remark = None if rules.is_certain(candidates) else join(dict.fromkeys(faults))
        return _plan_row(scan, candidates, remark=remark, at=at)

    def _search(self, evidence: FolderEvidence) -> ProviderAnswers:
        """Search for the most reliable names at one provider after another until one has a likely match."""
        found = ProviderAnswers()
        for name in evidence.names[:_MAX_NAMES]:
            for provider in self.providers.with_capability(Capability.SEARCH):
                try:
                    found.matches.extend(self._matches(provider, name))
                except ProviderError as reason:
                    found.faults[provider.source_id] = reason.message
                if any(rules.is_likely(match) for match in found.matches):
                    return ProviderAnswers(found.matches)
        return found

    def _matches(self, provider: MetadataProvider, name: str) -> list[Match]:
        search = partial(
            self.retries.ask, provider, lambda: matches_of(provider, name, Deadline.after(_SEARCH_SECONDS))
        )
        return self._call(provider, search)

    def _call(self, provider: MetadataProvider, call: Callable[[], _T]) -> _T:
        failures = self._failures.setdefault(provider.source_id, [])
        if len(failures) == _MAX_CONSECUTIVE_FAILURES:
            raise ProviderError(failures[-1])
        try:
            result = call()
        except ProviderError as reason:
            failures.append(reason.message)
            raise
        failures.clear()
        return result


def scan_folder(folder: UnimportedFolder, backend: LibraryBackend) -> FolderScan:
    """Read a folder: the clues to which game it is, and how each of its versions is started."""
    clues: list[Clue] = []
    proposals: list[VersionProposal] = []
    with suppress(LocationUnusable):
        for name in _versions_of(folder, backend):
            proposal, found = _scan_version(backend, folder, name)
            proposals.append(proposal)
            clues += found
        clues += _clues_beside_versions(backend, folder)
    clues.append(Clue(ClueKind.NAME, "folder name", title(folder.path), folder.path))
    return FolderScan(
        folder, FolderEvidence(folder.path, distinct(clues), rules.program_name(proposals)), tuple(proposals)
    )


def _versions_of(folder: UnimportedFolder, backend: LibraryBackend) -> list[str]:
    names = not_ignored(backend.versions_of_listed(folder.path), rules_of(folder.library), game=folder.path)
    return rules.in_order(names)[-_MAX_VERSIONS:]


def _scan_version(
    backend: LibraryBackend, folder: UnimportedFolder, version: str
) -> tuple[VersionProposal, Sequence[Clue]]:
    try:
        tree = backend.open_listed(folder.path, version)
        proposal = propose(tree, version, game=title(folder.path), folders=(folder.path, version))
        return proposal, find_clues(tree, game=folder.path, folders=(version,))
    except (LocationUnusable, NotListed, UnusableVersion, VersionChanged, OSError) as reason:
        return version_rules.without_proposal(version, _remark_of(reason)), ()


def _clues_beside_versions(backend: LibraryBackend, folder: UnimportedFolder) -> Sequence[Clue]:
    """Return the clues in the game's folder that belong to none of its versions."""
    try:
        tree = backend.loose_files(folder.path)
        return find_clues(tree, game=folder.path) if tree else ()
    except (LocationUnusable, NotListed, UnusableVersion, VersionChanged, OSError):
        return ()


def _remark_of(reason: Exception) -> Message:
    return reason.message if isinstance(reason, UnusableVersion | VersionChanged) else Message("cannot-be-read")


def _plan_row(
    scan: FolderScan, candidates: Sequence[GameCandidate], *, remark: Message | None, at: datetime
) -> PlanRow:
    folder = scan.folder
    likeliest = candidates[0].match.reference if candidates else None
    return PlanRow(
        id=new_id(),
        library_id=folder.library.id,
        path=folder.path,
        title=title(folder.path),
        certain=rules.is_certain(candidates) and any(not each.remark for each in scan.versions),
        confidence=candidates[0].confidence if candidates else 0.0,
        source_id=likeliest.source_id if likeliest else None,
        metadata_id=likeliest.id if likeliest else None,
        clues=stored.encode_list(map(rules.stored_clue, scan.evidence.clues)),
        candidates=stored.encode_list(map(rules.stored_candidate, candidates)),
        versions=stored.encode_list(scan.versions),
        remark=str(remark or ""),
        remark_code=code_of(remark),
        remark_parameters=parameters_of(remark),
        computed=at,
    )
