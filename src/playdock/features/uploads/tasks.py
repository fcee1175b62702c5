"""The tasks that move complete uploads to their places, and delete those that are not continued."""

import time
from datetime import timedelta

from msgspec import Struct

from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryNotManaged
from playdock.domain.libraries.service import is_managed
from playdock.features.uploads import queries, rules
from playdock.features.uploads.errors import DestinationTaken, UploadLost, UploadUnknown
from playdock.features.uploads.service import CLEAN_UPLOADS, PLACE_UPLOAD, Uploads
from playdock.kit.messages import Message
from playdock.models import Library, Upload
from playdock.storage.folder_operations import PlaceTaken
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.staged_upload import StagedUpload, StagingGone
from playdock.storage.staging import StagingArea, StagingBusy
from playdock.stored import PlaceUploadArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskFailed

# A request releases an upload some milliseconds after it has stored the last byte, more on a busy machine.
_RELEASE_SECONDS = 5.0
_POLL_SECONDS = 0.02
# Longer than a request takes to begin an upload, also if its clock is that of another machine.
_BEGINNING = timedelta(hours=1)


class PlaceUpload(Struct, frozen=True):
    """Checks the files of a complete upload, moves them to their place, and requests a scan."""

    uploads: Uploads
    task_type: str = PLACE_UPLOAD

    def run(self, context: TaskContext) -> None:
        upload_id = context.arguments(PlaceUploadArguments).upload
        with context.db.read() as session:
            found = queries.find_with_library(session, upload_id)
        if found is None:
            raise UploadUnknown
        upload, library = found
        if not is_managed(library):
            raise LibraryNotManaged
        self._place(context, upload, library)
        # All before the end of the task, so that it is repeated after an interruption.
        self.uploads.area_of(library).remove(upload.id)
        # The scan need not wait until files that were uploaded are unchanged for a while.
        with context.checkpoint() as session:
            queries.set_placed(session, upload.id, at=context.clock())
        self.uploads.request_scan()

    def _place(self, context: TaskContext, upload: Upload, library: Library) -> None:
        area = self.uploads.area_of(library)
        try:
            names = self._check(context, area, upload)
            area.place(upload.id, upload.game, names, has_versions=bool(upload.version))
        except StagingBusy:
            raise RetryableFailure("Upload busy", Message("upload-still-open")) from None
        except PlaceTaken:
            raise DestinationTaken(upload.version or upload.game) from None
        except StagingGone:
            raise UploadLost from None
        except LocationUnusable as reason:
            raise RetryableFailure("Library unavailable", reason.message) from None

    def _check(self, context: TaskContext, area: StagingArea, upload: Upload) -> list[str]:
        """Compare the files with what was declared, and delete them if they differ. Return the names to be moved."""
        version, folder = upload.version or upload.game, f"{upload.game}/" if upload.version else ""
        try:
            staged = _opened(context, area, upload.id)
        except StagingGone:
            # They may be in their place already.
            return [version]
        with staged:
            names = rules.placed_names(version, [each.path for each in staged.files])
            # Empty files are made below.
            empty = {each.path for each in staged.files if not each.size}
            if any(staged.has_moved(folder + name) for name in names if folder + name not in empty):
                # An earlier run was interrupted while it moved them: only there can they be looked for.
                return names
            staged.make_empty_files()
            differing = next(staged.differing(check=context.check), None)
            staged.sync()
        if differing is None:
            return names
        # Before they are deleted: what is not there does not count any more.
        with context.checkpoint() as session:
            queries.set_discarded(session, upload.id)
        area.remove(upload.id)
        raise TaskFailed("Upload damaged", Message("upload-differs", path=differing.path))


def _opened(context: TaskContext, area: StagingArea, upload_id: str) -> StagedUpload:
    """Open an upload. The request that completed it may not have released it yet."""
    deadline = time.monotonic() + _RELEASE_SECONDS
    while True:
        try:
            return area.open(upload_id)
        except StagingBusy:
            if time.monotonic() > deadline:
                raise
        context.check()
        time.sleep(_POLL_SECONDS)


class CleanUploads(Struct, frozen=True):
    """Deletes uploads that have not been continued for a week, and what is left of others."""

    uploads: Uploads
    task_type: str = CLEAN_UPLOADS

    def run(self, context: TaskContext) -> None:
        with context.checkpoint() as session:
            expired = queries.expired(session, at=context.clock())
            # In a library that is only read, what was received is not deleted, and must not be forgotten either.
            queries.remove(session, [each.id for each, library in expired if each.placed or is_managed(library)])
        with context.db.read() as session:
            libraries = library_queries.list_all(session)
        for library in filter(is_managed, libraries):
            context.check()
            self._sweep(context, library)
        with context.complete():
            pass

    def _sweep(self, context: TaskContext, library: Library) -> None:
        area = self.uploads.area_of(library)
        # The folder of a new upload is made before its row: one without a row may belong to a request that is running.
        stored = area.uploads(before=context.clock() - _BEGINNING)
        with context.db.read() as session:
            known = {upload_id for upload_id in stored if queries.find(session, upload_id)}
        for upload_id in set(stored) - known:
            # Another server may receive uploads into the same folder.
            if area.is_own(upload_id):
                area.remove(upload_id)
