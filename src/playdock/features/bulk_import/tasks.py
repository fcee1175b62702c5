"""The tasks that compute the plan and import its rows."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock import stored
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.evidence import Clue, ClueKind, distinct
from playdock.content.naming import title
from playdock.domain.game_metadata.errors import AlreadyImported, MetadataTaken, NoMetadata
from playdock.domain.game_metadata.rules import Field, reference_of
from playdock.domain.game_metadata.service import GameMetadataService, PreparedGame, ProviderRetries
from playdock.domain.games import queries as game_queries
from playdock.domain.games.queries import NewGame
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.rules import not_ignored
from playdock.domain.libraries.service import LibraryBackends, rules_of
from playdock.features.bulk_import import queries, rules
from playdock.features.bulk_import.rules import FolderEvidence, GameCandidate, ProviderAnswers, RunContext
from playdock.features.bulk_import.run_rows import fault_values
from playdock.features.bulk_import.service import PLAN_TASK, RUN_TASK, ImportRuns, left_out_of_plan, listed
from playdock.features.version_import import rules as version_rules
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.service import VersionImports, propose
from playdock.fetching.requests import Deadline
from playdock.kit.errors import PlaydockError
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message, code_of, join, parameters_of
from playdock.metadata.errors import ProviderError
from playdock.metadata.providers import (
    MANUAL,
    Capability,
    Match,
    MetadataProvider,
    Providers,
    Reference,
    match_of_metadata,
    matches_of,
)
from playdock.models import Library, PlanRow, RunRow
from playdock.storage.backends import LibraryBackend, NotListed
from playdock.storage.clues import find_clues
from playdock.storage.library_policy import LocationUnusable
from playdock.stored import (
    ImportRunArguments,
    PlanImportArguments,
    RunChoice,
    RunVersion,
    VersionProposal,
)
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Cancelled, TaskAlreadyRunning, TaskFailed

_T = TypeVar("_T")

# Each batch asks a provider for all its ids in one request. Rows of a batch appear only when all of it was scanned.
_FOLDERS_PER_BATCH = 25
_ROWS_PER_BATCH = 50
# The most reliable names; each costs one search at each provider.
_MAX_NAMES = 2
# The newest versions of a folder: each is opened, and archives of many versions take long.
_MAX_VERSIONS = 30
# No page waits for this search, so that a slow provider may take this long.
_SEARCH_SECONDS = 20.0
# An unreachable provider costs seconds for every name: a plan of 600 folders would take hours.
_MAX_CONSECUTIVE_FAILURES = 3


class UnimportedFolder(Struct, frozen=True):
    """An unimported folder of a library."""

    library: Library
    path: str


class FolderScan(Struct, frozen=True):
    """What was found in a folder before a provider was asked."""

    folder: UnimportedFolder
    evidence: FolderEvidence
    versions: tuple[VersionProposal, ...]


class PlanImports(Struct, frozen=True):
    """Computes the rows of the plan that are missing, or all of them."""

    providers: Providers
    backends: LibraryBackends
    task_type: str = PLAN_TASK

    def run(self, context: TaskContext) -> None:
        folders = list(self._folders_to_plan(context))
        context.log(Message("folders-to-scan", count=len(folders)))
        lookup = ProviderLookup(self.providers, ProviderRetries(context))
        for start in range(0, len(folders), _FOLDERS_PER_BATCH):
            scans = [
                _scan(folder, self.backends.of(folder.library))
                for folder in folders[start : start + _FOLDERS_PER_BATCH]
            ]
            answers = lookup.fetch_by_id(scans)
            for position, scan in enumerate(scans, start=start):
                context.advance(position, len(folders))
                row = lookup.plan_row(scan, answers, at=context.clock())
                with context.checkpoint() as session:
                    if library_queries.lock(session, row.library_id, backend=scan.folder.library.backend):
                        queries.put_row(session, row)

    def _folders_to_plan(self, context: TaskContext) -> Iterator[UnimportedFolder]:
        """Yield the folders that need a row, and delete the rows of folders that no longer exist."""
        with context.db.read() as session:
            libraries = library_queries.list_all(session)
        for library in libraries:
            with context.db.read() as session:
                left_out = left_out_of_plan(session, library.id, at=context.clock())
                planned = queries.planned(session, library.id)
            unimported = listed(self.backends, library, but=left_out.imported)
            if unimported is None:
                context.log(Message("library-unreadable-now", library=library.name), level="warn")
                continue
            with context.checkpoint() as session:
                queries.delete_rows(session, library.id, set(planned) - unimported)
            fresh = context.arguments(PlanImportArguments).fresh
            done = {path for path, row in planned.items() if row.is_current(since=context.task.created, fresh=fresh)}
            yield from (UnimportedFolder(library, path) for path in sorted(unimported - done - left_out.changing))


class ProviderLookup(Struct, frozen=True):
    """Asks providers which games folders are. A provider that fails several times in a row is not asked again."""

    providers: Providers
    retries: ProviderRetries
    _failures: Counter[str] = field(default_factory=Counter)

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
        if self._failures[provider.source_id] == _MAX_CONSECUTIVE_FAILURES:
            raise ProviderError(Message("provider-given-up", provider=provider.name))
        try:
            result = call()
        except ProviderError as reason:
            self._failures[provider.source_id] += reason.retryable
            raise
        del self._failures[provider.source_id]
        return result


def _scan(folder: UnimportedFolder, backend: LibraryBackend) -> FolderScan:
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


class RunImports(Struct, frozen=True):
    """Imports the folders of a run in their order. A folder that cannot be imported does not stop the others."""

    game_metadata: GameMetadataService
    version_imports: VersionImports
    import_runs: ImportRuns
    task_type: str = RUN_TASK

    def run(self, context: TaskContext) -> None:
        try:
            self._import_rows(context)
        except Cancelled:
            # A version may have been queued at the moment of the cancellation.
            with context.db.write() as session:
                self.import_runs.cancel_queued(session, context.task.id)
            raise

    def _import_rows(self, context: TaskContext) -> None:
        run_id = context.arguments(ImportRunArguments).run
        with context.db.read() as session:
            rows, is_automatic = queries.rows_of_run(session, run_id), queries.is_automatic(session, run_id)
        pending = [row for row in rows if row.done is None]
        retries = ProviderRetries(context)
        for start in range(0, len(pending), _ROWS_PER_BATCH):
            batch = pending[start : start + _ROWS_PER_BATCH]
            known = self._fetch_metadata(context, batch, retries)
            for position, row in enumerate(batch, start=len(rows) - len(pending) + start):
                context.advance(position, len(rows))
                self._import_row(context, row, known)
                if is_automatic:
                    self.import_runs.tell_of_failure(row.id)

    def _fetch_metadata(self, context: TaskContext, rows: Sequence[RunRow], retries: ProviderRetries) -> RunContext:
        """List each library once, and fetch all games of a provider in one request."""
        known = RunContext(_folders(context, self.version_imports.backends))
        ids: dict[str, list[str]] = {}
        for row in rows:
            reference = reference_of(_choice(row).metadata)
            if row.game_id is None and reference is not None and reference.source_id != MANUAL:
                ids.setdefault(reference.source_id, []).append(reference.id)
        for source_id, game_ids in ids.items():
            try:
                known.facts[source_id] = retries.facts(self.game_metadata.provider(source_id), game_ids)
            except NoMetadata as reason:
                known.faults[source_id] = reason
            except ProviderError as reason:
                known.faults[source_id] = NoMetadata(reason.message)
        return known

    def _import_row(self, context: TaskContext, row: RunRow, known: RunContext) -> None:
        try:
            game_id = row.game_id or self._import_game(context, row, known)
        except TaskFailed as reason:
            _finish(context, row, fault=reason.detail)
            return
        faults = [fault for each in _choice(row).versions if (fault := self._start_version(game_id, each))]
        _finish(context, row, fault=join(faults))

    def _import_game(self, context: TaskContext, row: RunRow, known: RunContext) -> str:
        reference = reference_of(_choice(row).metadata)
        known.refuse_absent(row.library_id, row.path)
        _refuse_imported(context, row, reference)
        prepared = self._prepare(context, row, reference, known)
        game_id = new_id()
        new = NewGame(
            id=game_id,
            library_id=row.library_id,
            path=row.path,
            name=prepared.facts.name,
            layout=self.version_imports.backends.layout_of(context.db, row.library_id, row.path),
            reference=reference,
            run_id=row.run_id,
        )
        with self.game_metadata.artwork.adopting(prepared.pictures), context.checkpoint() as session:
            _refuse_undone(session, row.run_id)
            self.game_metadata.add(session, new, prepared, at=context.clock())
            queries.delete_rows(session, row.library_id, [row.path])
            queries.set_row(session, row.id, {"game_id": game_id})
        return game_id

    def _prepare(
        self, context: TaskContext, row: RunRow, reference: Reference | None, known: RunContext
    ) -> PreparedGame:
        if reference is None:
            return PreparedGame.of_folder(row.path)
        if reference.source_id == MANUAL:
            return PreparedGame.by_hand(reference.name)
        provider = self.game_metadata.provider(reference.source_id)
        return self.game_metadata.with_pictures(provider, known.of(reference), fields=set(Field), context=context)

    def _start_version(self, game_id: str, version: RunVersion) -> Message | None:
        """Start the import of a version; return why it cannot be started, or None if it runs or is done already."""
        try:
            self.version_imports.begin(rules.import_request(game_id, version))
        except PlaydockError as reason:
            if not isinstance(reason, VersionAlreadyImported | TaskAlreadyRunning):
                return Message("version-fault", version=version.version, reason=reason.message())
        return None


def _choice(row: RunRow) -> RunChoice:
    return stored.decode(row.choice, RunChoice)


def _folders(context: TaskContext, backends: LibraryBackends) -> Mapping[str, Collection[str] | None]:
    with context.db.read() as session:
        libraries = library_queries.list_all(session)
    return {library.id: listed(backends, library) for library in libraries}


def _refuse_imported(context: TaskContext, row: RunRow, reference: Reference | None) -> None:
    """Raise an error, before pictures are downloaded, if the game cannot be added."""
    with context.db.read() as session:
        if game_queries.game_of_path(session, row.library_id, row.path):
            raise AlreadyImported
        if reference and game_queries.game_of_metadata(session, reference.source_id, reference.id):
            raise MetadataTaken


def _refuse_undone(session: Session, run_id: str) -> None:
    """Raise Cancelled if the run was undone; otherwise lock it for this transaction."""
    run = queries.lock_run(session, run_id)
    if run is None or run.undone is not None:
        raise Cancelled


def _finish(context: TaskContext, row: RunRow, *, fault: Message | None) -> None:
    # A version may have failed already, which has been noted.
    values: dict[str, Any] = {"done": context.clock()}
    if fault is not None:
        context.log(Message("folder-fault", folder=row.path, reason=fault), level="warn")
        values |= fault_values(row, fault)
    with context.checkpoint() as session:
        queries.set_row(session, row.id, values)
