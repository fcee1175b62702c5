"""What is imported, verified or announced because of the rules of libraries, without a person."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.content.layouts import DEFAULT_VERSION, titled
from playdock.content.naming import version_key
from playdock.db.database import Database
from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.found_versions.rules import RENAMED
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_folders.queries import ImportedFolder
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.libraries.service import rules_of
from playdock.features.bulk_import.queries import PlannedFolder
from playdock.features.bulk_import.service import ImportPlan, ImportRuns
from playdock.features.damage.service import Damages
from playdock.features.library_scans import rules
from playdock.features.library_scans.rules import Again, Attempt, LibraryContent
from playdock.features.version_import.errors import UnlikeNewest
from playdock.features.version_import.rules import is_one_missing
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import Clock
from playdock.kit.errors import PlaydockError, Unavailable
from playdock.kit.messages import Message
from playdock.metadata.providers import MANUAL
from playdock.models import FoundVersion, Library
from playdock.stored import LibraryRules
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import Queue

# After a scan; each is a task.
_MAX_VERIFIED = 50


class AutomaticImports(Struct, frozen=True):
    """Operations of the task that scans libraries on what it has found."""

    db: Database
    clock: Clock
    import_plan: ImportPlan
    import_runs: ImportRuns
    version_imports: VersionImports
    damages: Damages

    def apply_rules(self, context: TaskContext, library: Library, content: LibraryContent) -> bool:
        """Apply the rules of a library to what is new in it.

        Imported versions whose files have changed are verified. Return whether versions wait for the import of an
        older one, after which they are to be the newest.
        """
        with context.db.read() as session:
            undecided = found_queries.undecided(session, library.id)
            if not undecided:
                return False
            imported = folder_queries.imported_versions(session, library.id)
        known, busy = rules_of(library), self.version_imports.games_being_imported()
        versions = sorted((found for found in undecided if found.path in imported), key=_age)
        folders = [found for found in undecided if found.path not in imported]
        added, is_waiting = self._add_to_games(context, library, folders, imported, listed=content.versions, busy=busy)
        left = [found for found in folders if found.id not in added]
        is_waiting |= self._decide_games(context, library, left, known)
        for found in versions:
            is_waiting |= self._apply_to_version(context, library, found, imported[found.path], content, busy=busy)
        return is_waiting

    def _apply_to_version(
        self,
        context: TaskContext,
        library: Library,
        found: FoundVersion,
        folder: ImportedFolder,
        content: LibraryContent,
        *,
        busy: set[str],
    ) -> bool:
        """Apply the rules of a library to what is in the folder of a game; return whether it waits for an import."""
        is_new = found.version not in folder.versions
        if not is_new and self._note_change(context, found, folder.versions[found.version]):
            return False
        # It may be imported right now, or become the newest version before an older one.
        if is_new and folder.game_id in busy:
            return True
        if is_new and found.path in content.unreadable:
            return False
        if is_new and found.task_id is not None and not self._has_failed(found.task_id):
            # A person has deleted it since it was imported because of the rules.
            with context.checkpoint() as session:
                found_queries.decide(session, [found.id], at=context.clock())
            return False
        present = content.present.get(found.path, ())
        attempt, is_renamed = Attempt(), is_new and is_one_missing(folder.versions, present)
        if is_renamed:
            attempt = _left_out(context, found, Message(RENAMED))
        elif is_new and rules_of(library).import_versions:
            attempt = self._import_version(context, found, folder.game_id)
        if attempt.again is not Again.NEVER:
            return attempt.again is Again.SOON
        with context.checkpoint() as session:
            if attempt.task_id is None:
                found_queries.decide(session, [found.id], at=context.clock(), left_out=attempt.reason)
            else:
                found_queries.set_task(session, found.id, attempt.task_id, at=context.clock())
                busy.add(folder.game_id)
            # Of the one that is missing since, and may be this one, the administrators are told.
            missing = [version_id for name, version_id in folder.versions.items() if name not in present]
            if is_new and not (is_renamed and folder_queries.any_undamaged(session, missing, before=found.seen)):
                event_type = EventType.VERSION_IMPORTED if attempt.task_id else EventType.VERSION_FOUND
                event_queries.add_new_version(session, event_type, library, found, at=context.clock())
        return False

    def _add_to_games(
        self,
        context: TaskContext,
        library: Library,
        folders: Sequence[FoundVersion],
        imported: Mapping[str, ImportedFolder],
        *,
        listed: Collection[str],
        busy: set[str],
    ) -> tuple[set[str], bool]:
        """Start importing folders as versions of games whose folders have the same title, if the rules say so.

        ``busy`` are the ids of the games of which versions are being imported. Return the ids of the folders about
        which nobody has to decide now, and whether some wait for an import.
        """
        if not folders or not rules_of(library).import_versions:
            return set(), False
        added, is_waiting = set[str](), False
        with context.db.read() as session:
            planned = self.import_plan.planned(session, library.id)
        titles = rules.by_title({path: folder.game_id for path, folder in imported.items()})
        # A new folder may be the one that is gone.
        lost = {folder.game_id for path, folder in imported.items() if folder.versions and path not in listed}
        for found in sorted(folders, key=lambda found: version_key(found.path)):
            game_id = rules.game_of_title(found.path, titles)
            was_deleted = found.task_id is not None and not self._has_failed(found.task_id)
            if found.version != DEFAULT_VERSION or game_id is None or game_id in lost or was_deleted:
                continue
            may_be = self._may_be(context, found, planned.get(found.path), game_id)
            if game_id in busy or may_be is None:
                added.add(found.id)
                is_waiting |= game_id in busy
            elif may_be:
                attempt = self._add_to_game(context, library, found, game_id)
                if attempt.task_id is not None:
                    busy.add(game_id)
                if attempt.task_id is not None or attempt.again is not Again.NEVER:
                    added.add(found.id)
                is_waiting |= attempt.again is Again.SOON
        return added, is_waiting

    def _add_to_game(self, context: TaskContext, library: Library, found: FoundVersion, game_id: str) -> Attempt:
        """Start importing a folder as a version of a game beside it, or record why that is left out."""
        attempt = self._import_version(context, found, game_id, beside=True)
        if attempt.again is not Again.NEVER:
            return attempt
        with context.checkpoint() as session:
            if attempt.task_id is None:
                found_queries.leave_out(session, [found.id], attempt.reason)
            else:
                found_queries.set_task(session, found.id, attempt.task_id, at=context.clock())
                event_type = EventType.VERSION_IMPORTED
                event_queries.add_new_version(session, event_type, library, found, at=context.clock())
        return attempt

    def _may_be(
        self, context: TaskContext, found: FoundVersion, planned: PlannedFolder | None, game_id: str
    ) -> bool | None:
        """Return whether a folder is not recognized as another game; None until the plan has it."""
        if planned is None:
            return True if rules.waits_too_long(found.seen, context.clock()) else None
        with context.db.read() as session:
            game = game_queries.find_game(session, game_id)
        is_known = game is not None and game.metadata_source != MANUAL
        return not (game and is_known and planned.game not in {None, (game.metadata_source, game.metadata_id)})

    def _note_change(self, context: TaskContext, found: FoundVersion, version_id: str) -> bool:
        """Verify a version whose files have changed since its import, at most once a day; return whether they have.

        A person may have imported it while it was still being copied.
        """
        with context.db.read() as session:
            version = game_queries.find_version(session, version_id)
        if found.decided is None and (version is None or found.changed <= version.created):
            return False
        if version is not None:
            if not rules.may_verify(version.verified, at=context.clock()):
                return True
            try:
                with suppress(VersionUnknown):
                    self.damages.begin(version.id, queue=Queue.LOW)
            except TaskAlreadyRunning:
                return True  # It may have read the files before they changed.
        with context.checkpoint() as session:
            found_queries.decide(session, [found.id], at=context.clock())
        return True

    def _decide_games(
        self, context: TaskContext, library: Library, undecided: Sequence[FoundVersion], known: LibraryRules
    ) -> bool:
        """Import recognized games if the library's rules say so. What the plan does not have yet waits for it.

        If a provider cannot be asked for a while, a person has to decide. Return whether folders wait that may be
        versions of a game that is imported now.
        """
        if not undecided:
            return False
        with context.checkpoint() as session:
            ready, imported, now, held = list(undecided), set[str](), self.clock(), set[str]()
            if known.import_games:
                planned = self.import_plan.planned(session, library.id)
                ready = [
                    found
                    for found in undecided
                    if (row := planned.get(found.path)) and (not row.remark or rules.waits_too_long(found.seen, now))
                ]
                imported = self.import_runs.begin_automatic(session, library.id, {found.path for found in ready})
            if known.import_versions:
                titles = rules.by_title(dict.fromkeys(imported, ""))
                others = [found for found in ready if found.path not in imported]
                held = {found.id for found in others if rules.game_of_title(found.path, titles) is not None}
            decided = [found for found in ready if found.id not in held]
            self._announce(session, library, [found for found in decided if found.path not in imported])
            found_queries.decide(session, [found.id for found in decided], at=self.clock())
        self.import_plan.notify_runner()
        return bool(held)

    def _announce(self, session: Session, library: Library, found: Sequence[FoundVersion]) -> None:
        """Tell the administrators of folders that a person has to decide about, once."""
        known = found_queries.decided_paths(session, library.id, {each.path for each in found})
        new = [each for each in found if each.decided is None and each.path not in known]
        folders = sorted({each.path for each in new})
        if new:
            event_queries.add_folders(session, min(each.id for each in new), library, folders, at=self.clock())

    def _import_version(
        self, context: TaskContext, found: FoundVersion, game_id: str, *, beside: bool = False
    ) -> Attempt:
        """Start importing a version of a known game, unless a person has to decide."""
        try:
            version = found.path if beside else found.version
            return Attempt(self.version_imports.begin_same(game_id, version, beside=beside))
        except TaskAlreadyRunning:
            return Attempt(again=Again.SOON)
        except Unavailable as error:
            # What cannot be read for good, a person is asked about.
            is_lasting = rules.waits_too_long(found.seen, context.clock())
            return _left_out(context, found, error.message()) if is_lasting else Attempt(again=Again.NEXT_SCAN)
        except (PlaydockError, UnlikeNewest) as error:
            return _left_out(context, found, error.message())

    def _has_failed(self, task_id: str) -> bool:
        """Return whether a task has ended without success."""
        with self.db.read() as session:
            task = task_queries.find(session, task_id)
        return task is not None and task.ended is not None and not task.success

    def verify_again(self, library: Library, *, gone: Collection[Place], returned: Collection[Place]) -> None:
        """Verify imported versions that are gone, and damaged ones that are back.

        The administrators are told of what is missing then. What is not verified now is verified every week.
        """
        gone = sorted(gone)[:_MAX_VERIFIED]
        with self.db.read() as session:
            imported = folder_queries.imported_versions(session, library.id) if gone else {}
            damaged = folder_queries.damaged_version_ids(session, library.id)
        versions = [imported[place.path].versions.get(place.version) for place in gone if place.path in imported]
        chosen = [version_id for version_id in versions if version_id]
        chosen += [version_id for place, version_id in damaged.items() if place in returned]
        for version_id in chosen[:_MAX_VERIFIED]:
            with suppress(VersionUnknown, TaskAlreadyRunning):
                self.damages.begin(version_id, queue=Queue.LOW)


def _left_out(context: TaskContext, found: FoundVersion, reason: Message) -> Attempt:
    skipped = Message("version-left-out", version=titled(found.path, found.version), reason=reason)
    context.log(skipped, level="warn")
    return Attempt(reason=reason)


def _age(found: FoundVersion) -> tuple[str, object]:
    """Return the key that sorts the versions of each game from old to new."""
    return found.path, version_key(found.version)
