"""The tasks that compute the plan and import its rows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_metadata.errors import AlreadyImported, MetadataTaken, NoMetadata
from playdock.domain.game_metadata.rules import Field, reference_of
from playdock.domain.game_metadata.service import GameMetadataService, PreparedGame, ProviderRetries
from playdock.domain.games import queries as game_queries
from playdock.domain.games.queries import NewGame
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.bulk_import import queries, rules
from playdock.features.bulk_import.folder_lookup import ProviderLookup, UnimportedFolder, scan_folder
from playdock.features.bulk_import.rules import RunContext
from playdock.features.bulk_import.run_rows import fault_values, version_fault
from playdock.features.bulk_import.service import PLAN_TASK, RUN_TASK, ImportRuns, left_out_of_plan, listed
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.service import VersionImports
from playdock.kit.errors import PlaydockError
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message, join
from playdock.metadata.errors import ProviderError
from playdock.metadata.providers import (
    MANUAL,
    Providers,
    Reference,
)
from playdock.models import RunRow
from playdock.stored import (
    ImportRunArguments,
    PlanImportArguments,
    RunChoice,
    RunVersion,
)
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Cancelled, TaskAlreadyRunning, TaskFailed

# Each batch asks a provider for all its ids in one request. Rows of a batch appear only when all of it was scanned.
_FOLDERS_PER_BATCH = 25
_ROWS_PER_BATCH = 50
_NEVER = datetime.min.replace(tzinfo=UTC)


class PlanImports(Struct, frozen=True):
    """Computes the rows of the plan that are missing, or all of them."""

    providers: Providers
    backends: LibraryBackends
    task_type: str = PLAN_TASK

    def run(self, context: TaskContext) -> None:
        folders = sorted(self._folders_to_plan(context), key=lambda folder: folder.looked_up or _NEVER)
        context.log(Message("folders-to-scan", count=len(folders)))
        lookup = ProviderLookup(self.providers, ProviderRetries(context))
        for start in range(0, len(folders), _FOLDERS_PER_BATCH):
            batch = folders[start : start + _FOLDERS_PER_BATCH]
            # Little would change, and all would be read again. The next task goes on with the others.
            if lookup.has_given_up and batch[0].looked_up:
                context.log(Message("folders-not-looked-up", count=len(folders) - start), level="warn")
                return
            scans = [scan_folder(folder, self.backends.of(folder.library)) for folder in batch]
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
            for path in sorted(unimported - done - left_out.changing):
                known = path in planned and not fresh
                yield UnimportedFolder(library, path, planned[path].computed if known else None)


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
                return version_fault(version.version, reason.message())
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
        if folder_queries.owner_of_path(session, row.library_id, row.path):
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
