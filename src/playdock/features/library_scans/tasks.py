"""The task that scans all libraries."""

import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from playdock.content.errors import UnusableVersion
from playdock.content.folder_state import FolderState
from playdock.domain.events import queries as event_queries
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import KnownVersion, Look, Place
from playdock.domain.found_versions.rules import RENAMED
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_folders.queries import ImportedFolder
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.rules import not_ignored
from playdock.domain.libraries.service import base_dir_of, base_dir_path, is_managed, rules_of
from playdock.features.library_scans import rules
from playdock.features.library_scans.automatic_imports import AutomaticImports
from playdock.features.library_scans.rules import LibraryContent
from playdock.features.library_scans.service import SCAN, LibraryScans
from playdock.features.reports.rules import is_nearly_full
from playdock.features.version_import.rules import is_one_missing
from playdock.kit.messages import Message
from playdock.models import Library
from playdock.storage.backends import LibraryBackend
from playdock.storage.folder_state import state_of
from playdock.storage.library_files import LibraryFolder
from playdock.storage.library_policy import LocationUnusable
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Postponed

# How soon a scan continues that waits for the plan, which takes minutes if it is asked for hundreds of games.
_PLAN_SECONDS = 10
# How soon one continues that waits for an import, which takes seconds to hours; it lists all libraries again.
_IMPORT_SECONDS = 60
# A share that comes and goes is reported once an hour at most.
_BETWEEN_MESSAGES = timedelta(hours=1)
# Space that varies around the limit is reported once a day at most.
_MIN_EPISODE = timedelta(days=1)
# How long a scan looks again at what is imported; some versions have a million files. The next scan continues.
_CHECK_SECONDS = 10.0
# The time between two looks at imported versions, unless scans follow each other more closely on schedule.
_BETWEEN_CHECKS = timedelta(minutes=10)
# Files that differ have changed if they are the same after this time.
_CONFIRMED_AFTER = timedelta(minutes=5)
# Versions whose looks are stored together; an interrupted scan repeats at most these.
_LOOKS_AT_ONCE = 100

Imported = Mapping[str, ImportedFolder]


class ScanLibraries(Struct, frozen=True):
    """Notices what is new in libraries, and continues until all of it is settled, planned and decided."""

    library_scans: LibraryScans
    automatic_imports: AutomaticImports
    task_type: str = SCAN

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            libraries = library_queries.list_all(session)
        dues: list[datetime] = []
        for number, library in enumerate(libraries):
            context.advance(number, len(libraries))
            content = self._content(context, library)
            if content is not None:
                dues += self._compare(context, library, content)
                if self.automatic_imports.apply_rules(context, library, content):
                    dues.append(context.clock() + timedelta(seconds=_IMPORT_SECONDS))
        planning = self.library_scans.import_plan.compute_missing()
        if planning and self.library_scans.any_waiting():
            dues.append(context.clock() + timedelta(seconds=_PLAN_SECONDS))
        deadline = self.library_scans.provider_deadline()
        if deadline is not None:
            dues.append(deadline)
        if dues:
            raise Postponed(min(dues))

    def _content(self, context: TaskContext, library: Library) -> LibraryContent | None:
        """List a library; None if its disk is away."""
        backends, known_rules = self.library_scans.backends, rules_of(library)
        backend = backends.of(library)
        with context.db.read() as session:
            layouts = folder_queries.layouts(session, library.id)
        present: dict[str, list[str]] = {}
        versions: dict[str, list[str]] = {}
        unreadable: set[str] = set()
        try:
            games = backend.games()
            kept = backends.present(library, layouts.keys() - set(games))
        except LocationUnusable as error:
            context.log(Message("library-unreadable-now", library=library.name), level="warn")
            self._note_unavailable(context, library, error.message)
            return None
        for path in not_ignored((*games, *kept), known_rules):
            context.check()
            try:
                found = backends.with_layout(library, layouts.get(path)).versions_of_listed(path)
                offered, present[path] = not_ignored(found, known_rules, game=path), found
                # A game that is not imported, of which everything is ignored, is not there.
                if offered or not found or path in layouts:
                    versions[path] = offered
            except LocationUnusable:
                unreadable.add(path)
        return LibraryContent(present, versions, unreadable)

    def _note_unavailable(self, context: TaskContext, library: Library, reason: Message) -> None:
        with context.checkpoint() as session:
            last = event_queries.last_unavailable(session, library.id)
            is_told = last is not None and context.clock() - last < _BETWEEN_MESSAGES
            if not is_told and library_queries.lock(session, library.id):
                event_queries.add_unavailable(session, library, reason, at=context.clock())

    def _note_available(self, context: TaskContext, library: Library) -> None:
        """Let the administrators be told when the library is away the next time."""
        with context.db.read() as session:
            is_away = event_queries.is_unavailable(session, library.id)
        if is_away:
            with context.checkpoint() as session:
                event_queries.end_unavailable(session, library.id)

    def _is_there(self, library: Library) -> bool:
        """Return whether a library is surely there although it lists nothing: its last game was moved to the trash."""
        return (
            is_managed(library) and LibraryFolder(base_dir_path(library), self.library_scans.backends.policy).is_there()
        )

    def _note_space(self, context: TaskContext, library: Library) -> None:
        """Tell the administrators when little space is left for games in a managed library, once for each disk."""
        if not is_managed(library):
            return
        base = base_dir_of(library)
        try:
            disk, number = shutil.disk_usage(base), device_of(Path(base))
            is_of_data = number == device_of(self.library_scans.settings.data_dir)
        except OSError:
            return
        # That of the data folder is checked together with it.
        if is_of_data:
            return
        with context.db.read() as session:
            since = event_queries.low_space_since(session, str(number))
        if is_nearly_full(disk.free, disk.total):
            if since is not None:
                return
            reason = Message("space-of-library-low", library=library.name, size=disk.free // 1024**3)
            with context.checkpoint() as session:
                event_queries.add_low_space(session, reason, at=context.clock(), disk=str(number))
        elif since is not None and context.clock() - since >= _MIN_EPISODE:
            with context.checkpoint() as session:
                event_queries.end_low_space(session, str(number))

    def _compare(self, context: TaskContext, library: Library, content: LibraryContent) -> list[datetime]:
        """Record what is new, settled or gone in a library, and return when to look again."""
        with context.db.read() as session:
            known = found_queries.of_library(session, library.id)
            imported = folder_queries.imported_versions(session, library.id)
        listed = content.places()
        if known and not listed and not self._is_there(library):
            context.log(Message("library-empty-now", library=library.name), level="warn")
            self._note_unavailable(context, library, Message("library-lists-nothing"))
            return []
        self._note_available(context, library)
        self._note_space(context, library)
        now = context.clock()
        new = listed - known.keys()
        stored = {place for place in new if _is_imported(place, imported)}
        gone = {
            place
            for place, row in known.items()
            if place not in listed and place.path not in content.unreadable and not row.undone
        }
        if stored or gone:
            with context.checkpoint() as session:
                if not library_queries.lock(session, library.id):
                    return []
                looks = [(place, Look("", now, now, None)) for place in sorted(stored)]
                found_queries.add(session, library.id, looks, decided=now)
                found_queries.remove(session, [known[place].id for place in gone])
            gone_versions = {place for place in gone if _is_imported(place, imported)}
            self.automatic_imports.verify_again(library, gone=gone_versions, returned=stored)
        self._consider_again(context, library, content, imported)
        checked = self._check_again(context, library, [p for p in listed if p.path in imported], known)
        dues = [context.clock() + _CONFIRMED_AFTER] if _is_any_new(checked, known) else []
        known |= checked
        # What cannot be imported as it is may have been repaired, or copied completely, since.
        unusable = self.library_scans.import_plan.unusable_versions(library.id) | checked.keys()
        here = listed & known.keys()
        changing = {place for place in here if known[place].look.due is not None}
        tried = {place for place in here if place in unusable or known[place].is_tried}
        again = {place for place in tried if not _is_imported(place, imported)}
        return dues + self._look(context, library, sorted(new - stored | changing | again), known)

    def _consider_again(
        self, context: TaskContext, library: Library, content: LibraryContent, imported: Imported
    ) -> None:
        """Let rules be applied to versions that seemed to be renamed, once no version of their game is missing."""
        with context.db.read() as session:
            waiting = found_queries.left_out_as(session, library.id, {RENAMED})
        complete = {
            row_id
            for place, row_id in waiting.items()
            if place.path in imported
            and place.path in content.present
            and not is_one_missing(imported[place.path].versions, content.present[place.path])
        }
        if complete:
            with context.checkpoint() as session:
                if library_queries.lock(session, library.id):
                    found_queries.consider_again(session, complete)

    def _check_again(
        self, context: TaskContext, library: Library, places: Sequence[Place], known: dict[Place, KnownVersion]
    ) -> dict[Place, KnownVersion]:
        """Choose some settled versions of imported games to look at again, and return what is known of them now.

        The files of those that are imported are looked at here. Others may have been damaged, and are treated as new.
        """
        now = context.clock()
        pause = timedelta(minutes=self.library_scans.settings.library_scan_minutes) / 2
        settled = {place: known[place].checked for place in places if place in known and known[place].look.due is None}
        # Some files are changed all the time. They do not keep scans from looking at others.
        differing = {place for place in settled if rules.is_unconfirmed(known[place].look, known[place].decided)}
        others = {place: checked for place, checked in settled.items() if place not in differing}
        chosen = rules.to_check(others, before=now - min(pause, _BETWEEN_CHECKS))
        chosen += [place for place in differing if now - known[place].look.seen >= _CONFIRMED_AFTER]
        chosen.sort(key=lambda place: (known[place].checked is not None, known[place].checked or now))
        if not chosen:
            return {}
        with context.db.read() as session:
            layouts = folder_queries.layouts(session, library.id)
            imported = folder_queries.imported_versions(session, library.id)
        again: dict[Place, KnownVersion] = {}
        deadline = time.monotonic() + _CHECK_SECONDS
        for place in chosen:
            if again and time.monotonic() > deadline:
                break
            row, look = known[place], known[place].look
            if _is_imported(place, imported):
                backend = self.library_scans.backends.with_layout(library, layouts.get(place.path))
                state = self._state_of(context, backend, place)
                # Files that cannot be read are reported by their verification.
                look = look if state is None else rules.recheck(look, row.decided, state, at=now)
            again[place] = row._replace(look=look, checked=now)
        with context.checkpoint() as session:
            if library_queries.lock(session, library.id):
                found_queries.set_checked(session, [(row.id, row.look) for row in again.values()], at=now)
        return again

    def _look(
        self, context: TaskContext, library: Library, places: list[Place], known: dict[Place, KnownVersion]
    ) -> list[datetime]:
        """Look at the files of versions that may be changing, and return when to look again."""
        backends, dues = self.library_scans.backends, []
        with context.db.read() as session:
            layouts = folder_queries.layouts(session, library.id)
            placed = found_queries.placed(session, library.id)
        for start in range(0, len(places), _LOOKS_AT_ONCE):
            looks = {
                place: self._look_at(
                    context,
                    backends.with_layout(library, layouts.get(place.path)),
                    place,
                    known.get(place),
                    placed=placed.get(place),
                )
                for place in places[start : start + _LOOKS_AT_ONCE]
            }
            with context.checkpoint() as session:
                if not library_queries.lock(session, library.id):
                    return []
                added = [(place, look) for place, look in looks.items() if place not in known]
                found_queries.add(session, library.id, added, decided=None)
                new = {p: look for p, look in looks.items() if p not in known or look != known[p].look}
                found_queries.set_looks(session, [(known[p].id, look) for p, look in new.items() if p in known])
                changed = [p for p in new if p in known and known[p].look.fingerprint != new[p].fingerprint]
                found_queries.forget_reasons(session, [known[p].id for p in changed])
                settled = ((place.path, look.changed) for place, look in new.items() if look.is_offered)
                self.library_scans.import_plan.discard_outdated(session, library.id, _latest(settled))
            dues += [look.due for look in looks.values() if look.due is not None]
        return dues

    def _look_at(
        self,
        context: TaskContext,
        backend: LibraryBackend,
        place: Place,
        known: KnownVersion | None,
        *,
        placed: datetime | None,
    ) -> Look:
        state = self._state_of(context, backend, place)
        quiet = timedelta(seconds=self.library_scans.settings.library_quiet_seconds)
        return rules.look(known.look if known else None, state, at=context.clock(), quiet=quiet, placed=placed)

    def _state_of(self, context: TaskContext, backend: LibraryBackend, place: Place) -> FolderState | None:
        """Return the state of the files of a version; None if they cannot be read."""
        try:
            return state_of(backend.location(place.path, place.version), check=context.check)
        except (OSError, LocationUnusable, UnusableVersion):
            return None


def _is_any_new(checked: Mapping[Place, KnownVersion], known: Mapping[Place, KnownVersion]) -> bool:
    """Return whether files of an imported version differ now, and did not the time before.

    No scan waits for those that differ each time: some programs write into the folders of games while they run.
    """
    return any(
        rules.is_unconfirmed(row.look, row.decided) and not rules.is_unconfirmed(known[place].look, row.decided)
        for place, row in checked.items()
    )


def device_of(folder: Path) -> int:
    """Return the number of the disk of a folder."""
    return folder.stat().st_dev


def _is_imported(place: Place, imported: Imported) -> bool:
    return place.path in imported and place.version in imported[place.path].versions


def _latest(changes: Iterable[tuple[str, datetime]]) -> dict[str, datetime]:
    newest: dict[str, datetime] = {}
    for path, changed in changes:
        newest[path] = max(changed, newest.get(path, changed))
    return newest
