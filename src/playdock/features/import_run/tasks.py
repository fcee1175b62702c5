"""The task that carries out a run: it imports game after game, and starts the import of their versions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from playdock.features.catalogue import rules
from playdock.features.catalogue.errors import AlreadyImported, LibraryGone, MetadataTaken, NothingKnown
from playdock.features.catalogue.rules import Field
from playdock.features.catalogue.service import Catalogue, Patience, Prepared
from playdock.features.games import queries as game_queries
from playdock.features.games.queries import NewGame
from playdock.features.import_plan import queries as plan_queries
from playdock.features.import_plan.service import listed
from playdock.features.import_run import queries
from playdock.features.import_run.errors import FolderGone, LibraryAway
from playdock.features.import_run.schemas import ChosenVersion
from playdock.features.import_run.service import GROUP
from playdock.features.libraries import queries as library_queries
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.schemas import VersionImportDraft
from playdock.features.version_import.service import VersionImports
from playdock.jobs.errors import Cancelled, TaskAlreadyRunning, TaskFailed
from playdock.jobs.work import Work
from playdock.kit.errors import PlaydockError
from playdock.kit.secrets import new_id
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts
from playdock.metadata.providers import MANUAL, Reference
from playdock.models import RunRow

_PIECE = 50


@dataclass(frozen=True, slots=True)
class Known:
    """What was known of many rows at one view: the folders by library, what providers told, why some told nothing.

    A library that is gone has no entry, and one that cannot be read None.
    """

    folders: Mapping[str, Collection[str] | None]
    facts: dict[str, Mapping[str, GameFacts]] = field(default_factory=dict)
    faults: dict[str, NothingKnown] = field(default_factory=dict)

    def refuse_absent(self, row: RunRow) -> None:
        """Let nothing be imported that its library does not list.

        Raises:
            LibraryGone, LibraryAway, FolderGone: it does not, and why.
        """
        if row.library_id not in self.folders:
            raise LibraryGone
        folders = self.folders[row.library_id]
        if folders is None:
            raise LibraryAway
        if row.path not in folders:
            raise FolderGone

    def of(self, reference: Reference) -> GameFacts:
        """Give what is known of a game.

        Raises:
            NothingKnown: nothing is, and why.
        """
        if reference.source_id in self.faults:
            raise self.faults[reference.source_id]
        facts = self.facts.get(reference.source_id, {}).get(reference.id)
        if facts is None:
            raise NothingKnown(f"{reference.source_id} has no game with the id {reference.id}.")
        return facts


@dataclass(frozen=True, slots=True)
class CarryOutRun:
    """Imports the folders of a run, in their order; a folder that cannot be imported keeps none of the others."""

    catalogue: Catalogue
    version_imports: VersionImports
    group: str = GROUP

    def run(self, work: Work) -> None:
        with work.db.read() as session:
            rows = queries.rows_of_run(session, work.arguments["run"])
        waiting = [row for row in rows if row.done is None]
        patience = Patience(work)
        for start in range(0, len(waiting), _PIECE):
            piece = waiting[start : start + _PIECE]
            known = self._known(work, piece, patience)
            for position, row in enumerate(piece, start=len(rows) - len(waiting) + start):
                work.advance(position, len(rows))
                self._carry_out(work, row, known)

    def _known(self, work: Work, rows: Sequence[RunRow], patience: Patience) -> Known:
        """List every library once, and ask every provider for all its games at once."""
        known = Known(_folders(work))
        ids: dict[str, list[str]] = {}
        for row in rows:
            reference = rules.reference_of(row.choice["metadata"])
            if row.game_id is None and reference is not None and reference.source_id != MANUAL:
                ids.setdefault(reference.source_id, []).append(reference.id)
        for source_id, wanted in ids.items():
            try:
                known.facts[source_id] = patience.facts(self.catalogue.provider(source_id), wanted)
            except NothingKnown as reason:
                known.faults[source_id] = reason
            except ProviderFault as reason:
                known.faults[source_id] = NothingKnown(str(reason))
        return known

    def _carry_out(self, work: Work, row: RunRow, known: Known) -> None:
        try:
            game_id = row.game_id or self._import(work, row, known)
        except TaskFailed as reason:
            _finish(work, row, fault=reason.detail)
            return
        faults = [fault for each in row.choice["versions"] if (fault := self._begin_version(game_id, each))]
        _finish(work, row, fault=" ".join(faults))

    def _import(self, work: Work, row: RunRow, known: Known) -> str:
        reference = rules.reference_of(row.choice["metadata"])
        known.refuse_absent(row)
        _refuse_imported(work, row, reference)
        prepared = self._prepared(work, row, reference, known)
        game_id = new_id()
        new = NewGame(
            id=game_id,
            library_id=row.library_id,
            path=row.path,
            name=prepared.facts.name,
            reference=reference,
            run_id=row.run_id,
        )
        try:
            with work.checkpoint() as session:
                _refuse_taken_back(session, row.run_id)
                self.catalogue.add(session, new, prepared, at=work.clock())
                plan_queries.forget_rows(session, row.library_id, [row.path])
                queries.set_row(session, row.id, {"game_id": game_id})
        except BaseException:
            self.catalogue.artwork.discard_gathered(prepared.pictures)
            raise
        return game_id

    def _prepared(self, work: Work, row: RunRow, reference: Reference | None, known: Known) -> Prepared:
        if reference is None:
            return Prepared.of_folder(row.path)
        if reference.source_id == MANUAL:
            return Prepared.by_hand(reference.name)
        provider = self.catalogue.provider(reference.source_id)
        return self.catalogue.with_pictures(provider, known.of(reference), fields=set(Field), work=work)

    def _begin_version(self, game_id: str, chosen: Mapping[str, Any]) -> str:
        """Start the import of a version; give what stands in the way, empty if it is on its way or done."""
        version = msgspec.convert(chosen, ChosenVersion)
        draft = VersionImportDraft(
            id=game_id,
            version=version.version,
            platform=version.platform,
            delta=False,
            only_setup=version.only_setup,
            launch=version.launch,
            launch_args=version.launch_args,
            setup=version.setup,
            setup_args=version.setup_args,
        )
        try:
            self.version_imports.begin(draft)
        except (VersionAlreadyImported, TaskAlreadyRunning):
            return ""
        except PlaydockError as reason:
            return f"{version.version}: {reason.detail}"
        return ""


def _folders(work: Work) -> Mapping[str, Collection[str] | None]:
    with work.db.read() as session:
        libraries = library_queries.everything(session)
    return {library.id: listed(library, but=set()) for library in libraries}


def _refuse_imported(work: Work, row: RunRow, reference: Reference | None) -> None:
    """Ask nobody for a game that cannot be added."""
    with work.db.read() as session:
        if game_queries.game_of_path(session, row.library_id, row.path):
            raise AlreadyImported
        if reference and game_queries.game_of_metadata(session, reference.source_id, reference.id):
            raise MetadataTaken


def _refuse_taken_back(session: Session, run_id: str) -> None:
    """Let nothing more be imported for a run that is taken back; until the transaction ends, it is not."""
    run = queries.hold_run(session, run_id)
    if run is None or run.taken_back is not None:
        raise Cancelled


def _finish(work: Work, row: RunRow, *, fault: str) -> None:
    if fault:
        work.log(f"{row.path}: {fault}", level="warn")
    with work.checkpoint() as session:
        queries.set_row(session, row.id, {"done": work.clock(), "fault": fault or None})
