"""Starting, receiving and removing uploads."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import LibraryBackends, base_dir_path, is_managed
from playdock.features.game_import.errors import LibraryUnavailable
from playdock.features.uploads import queries, rules
from playdock.features.uploads.errors import (
    ChecksumMismatch,
    DestinationTaken,
    SpaceMissing,
    UploadBusy,
    UploadComplete,
    UploadInProgress,
    UploadLimitReached,
    UploadLost,
    UploadOffsetWrong,
    UploadPieceTooLong,
    UploadUnknown,
)
from playdock.features.uploads.rules import UploadPiece
from playdock.features.uploads.schemas import UploadCreate, UploadState
from playdock.kit.background_hash import BackgroundHash
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.storage_failures import writing
from playdock.models import Library, Task, Upload
from playdock.settings import Settings
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.probes import ProbePool
from playdock.storage.staged_upload import StagedUpload, StagingGone
from playdock.storage.staging import Disk, StagingArea, StagingBusy
from playdock.stored import PlaceUploadArguments, upload_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

PLACE_UPLOAD = "place:upload"
CLEAN_UPLOADS = "cleanup:uploads"
# The folder of another library, whose disk may hang.
_PROBE_SECONDS = 2.0


class UploadStatus(Struct, frozen=True):
    """An upload, and the task that moves it to its place, if there is one."""

    upload: Upload
    task: Task | None

    @property
    def state(self) -> UploadState:
        return rules.state_of(
            is_placed=self.upload.placed is not None,
            has_task=self.upload.task_id is not None,
            is_active=self.task is not None and self.task.ended is None,
        )


class Uploads(Struct, frozen=True):
    """Operations on uploads."""

    db: Database
    clock: Clock
    settings: Settings
    backends: LibraryBackends
    request_scan: Callable[[], bool]
    notify_runner: Callable[[], None]
    probes: ProbePool[int | None] = field(default_factory=ProbePool)

    def list_all(self, actor: Actor) -> list[UploadStatus]:
        """Return all uploads, newest first."""
        actor.require(Permission.LIBRARY_WRITE)
        with self.db.read() as session:
            uploads = queries.list_all(session)
            tasks = task_queries.find_all(session, {each.task_id for each in uploads if each.task_id})
        return [UploadStatus(each, tasks.get(each.task_id or "")) for each in uploads]

    def show(self, actor: Actor, upload_id: str) -> UploadStatus:
        """Return an upload. Raises UploadUnknown."""
        actor.require(Permission.LIBRARY_WRITE)
        with self.db.read() as session:
            upload = queries.find(session, upload_id)
            if upload is None:
                raise UploadUnknown
            return UploadStatus(upload, task_queries.find(session, upload.task_id) if upload.task_id else None)

    def begin(self, actor: Actor, data: UploadCreate) -> UploadStatus:
        """Start an upload, or return the unfinished one of the same files to the same place, which continues.

        Raises:
            LibraryUnknown, LibraryNotManaged, LibraryUnavailable, InvalidInput: it cannot be uploaded there.
            DestinationTaken, UploadInProgress, UploadLimitReached, SpaceMissing: it cannot be uploaded now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        with self.db.read() as session:
            library = library_queries.find(session, data.library)
        if library is None:
            raise LibraryUnknown
        if not is_managed(library):
            raise LibraryNotManaged
        if errors := list(rules.errors_of(data, BackendKind(library.backend))):
            raise InvalidInput(errors)
        upload = self._new_upload(actor, data)
        digests = frozenset((upload.digest, rules.earlier_digest_of(data.files)))
        area = self.area_of(library)
        # Its folder is made before its row: one without a row is deleted by a later sweep.
        with _disk_errors_translated():
            names = rules.placed_names(data.version or data.game, [each.path for each in data.files])
            if taken := area.taken_name(data.game, names, has_versions=bool(data.version)):
                if len(names) > 1 and (interrupted := self._received_before(upload, digests)):
                    return self._continued(interrupted)
                raise DestinationTaken(taken)
            disk = area.disk()
            area.create(upload.id, rules.staged_files(data))
        try:
            begun, obsolete = self._add(upload, digests, area, disk)
        except BaseException:
            area.remove(upload.id)
            raise
        for upload_id in obsolete:
            area.remove(upload_id)
        return self._continued(begun)

    def _received_before(self, upload: Upload, digests: Collection[str]) -> Upload | None:
        """Return the same upload if all of it was received: some of its files may be in their place already."""
        with self.db.read() as session:
            known = queries.unplaced(session, upload.library_id)
        same = (each for each in known if (each.game, each.version) == (upload.game, upload.version))
        return next((each for each in same if each.digest in digests and each.received == each.size), None)

    def _add(self, upload: Upload, digests: Collection[str], area: StagingArea, disk: Disk) -> tuple[Upload, list[str]]:
        """Add an upload unless the same one exists. Return it, and the ids of those whose files are not needed."""
        with self.db.read() as session:
            known = queries.unplaced(session, upload.library_id)
        same_place = [each for each in known if (each.game, each.version) == (upload.game, upload.version)]
        with _disk_errors_translated():
            gone = {each.id for each in same_place if not area.has_received(each.id, each.received)}
        on_disk = {upload.library_id, *self._libraries_on(disk)}
        with self.db.write() as session:
            if not library_queries.lock(session, upload.library_id):
                raise LibraryUnknown
            others = queries.unplaced(session, upload.library_id)
            for other in [each for each in others if (each.game, each.version) == (upload.game, upload.version)]:
                if other.id in gone:
                    queries.remove(session, [other.id])
                elif other.digest in digests:
                    return other, [upload.id]
                else:
                    raise UploadInProgress
            missing = queries.missing_bytes(session)
            needed = sum(size for library_id, size in missing.items() if library_id in on_disk)
            free = disk.free - rules.RESERVED_BYTES - needed
            if upload.size > free:
                raise SpaceMissing(size=upload.size, free=max(0, free))
            most = self.settings.uploads_max_bytes
            if most and queries.unplaced_bytes(session) + upload.size > most:
                raise UploadLimitReached(most)
            queries.add(session, upload)
        return upload, []

    def _libraries_on(self, disk: Disk) -> list[str]:
        """Return the libraries on a disk that uploads are being received into. A disk that hangs is another one."""
        with self.db.read() as session:
            missing = queries.missing_bytes(session)
            libraries = [each for each in library_queries.list_all(session) if missing.get(each.id)]
        probes = {each.id: partial(_device_of, self.area_of(each)) for each in libraries}
        devices = self.probes.probe(probes, seconds=_PROBE_SECONDS)
        return [library_id for library_id, device in devices.items() if device == disk.device]

    def _continued(self, upload: Upload) -> UploadStatus:
        """Return an upload; if its last byte has been received but moving it to its place has failed, try again."""
        if upload.received == upload.size:
            with self.db.write() as session, suppress(TaskAlreadyRunning):
                upload.task_id = self.enqueue_placing(session, upload)
            self.notify_runner()
        with self.db.read() as session:
            return UploadStatus(upload, task_queries.find(session, upload.task_id) if upload.task_id else None)

    def _new_upload(self, actor: Actor, data: UploadCreate) -> Upload:
        now = self.clock()
        return Upload(
            id=new_id(),
            library_id=data.library,
            user_id=actor.user.id,
            game=data.game,
            version=data.version,
            digest=rules.digest_of(data.files),
            files=len(data.files),
            size=sum(each.size for each in data.files),
            received=0,
            created=now,
            expires=now + rules.KEPT,
        )

    def remove(self, actor: Actor, upload_id: str) -> None:
        """Cancel an upload and delete what was received of it; what is in its place remains. Raises UploadUnknown."""
        actor.require(Permission.LIBRARY_WRITE)
        with self.db.write() as session:
            found = queries.find_with_library(session, upload_id)
            if found is None:
                raise UploadUnknown
            if found[0].task_id:
                task_queries.cancel(session, found[0].task_id, at=self.clock())
            queries.remove(session, [upload_id])
        self.area_of(found[1]).remove(upload_id)

    def receive(self, actor: Actor, upload_id: str, piece: UploadPiece) -> "Reception":
        """Prepare to receive a piece of an upload.

        Raises:
            UploadUnknown, UploadLost, LibraryNotManaged, LibraryUnavailable: there is nothing to continue.
            SpaceMissing: the disk is nearly full.
            UploadBusy, UploadComplete, UploadOffsetWrong: it does not continue with this piece now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        staged = self._open(upload_id)
        try:
            upload = self._continuing(upload_id, piece.offset)
            staged.seek(upload.received)
            reception = Reception(self, upload, staged, piece.checksum)
            reception.require_space()
        except BaseException:
            staged.close()
            raise
        return reception

    def _continuing(self, upload_id: str, offset: int) -> Upload:
        """Return an upload that continues at an offset. The caller keeps other requests from changing it."""
        with self.db.read() as session:
            upload = queries.find(session, upload_id)
        if upload is None:
            raise UploadUnknown
        if upload.received == upload.size:
            raise UploadComplete
        if upload.received != offset:
            raise UploadOffsetWrong(upload.received)
        return upload

    def _open(self, upload_id: str) -> StagedUpload:
        with self.db.read() as session:
            found = queries.find_with_library(session, upload_id)
        if found is None:
            raise UploadUnknown
        if not is_managed(found[1]):
            raise LibraryNotManaged
        with _disk_errors_translated():
            return self.area_of(found[1]).open(upload_id)

    def area_of(self, library: Library) -> StagingArea:
        """Return the folder with the uploads of a library; for tasks only."""
        return StagingArea(base_dir_path(library), self.backends.policy, library.id)

    def store_received(self, upload: Upload, received: int) -> None:
        """Record how much of an upload is stored, and start moving it to its place if it is complete."""
        with self.db.write() as session:
            if not queries.set_received(session, upload.id, received, expires=self.clock() + rules.KEPT):
                raise UploadUnknown
            if received == upload.size:
                self.enqueue_placing(session, upload)
        if received == upload.size:
            self.notify_runner()

    def enqueue_placing(self, session: Session, upload: Upload) -> str:
        task_id = enqueue(session, _placing(upload), at=self.clock())
        queries.set_task(session, upload.id, task_id)
        return task_id


class Reception:
    """One piece of an upload that is being received. Its methods are called one after the other, in threads."""

    def __init__(self, uploads: Uploads, upload: Upload, staged: StagedUpload, checksum: bytes | None) -> None:
        self._uploads, self._upload, self._staged = uploads, upload, staged
        self._checksum, self._hash = checksum, BackgroundHash() if checksum else None
        self._stored = self._checked = upload.received
        self._buffer = bytearray()

    def write(self, pieces: Sequence[bytes]) -> None:
        """Store the next bytes.

        Raises:
            UploadPieceTooLong: they are more than the upload needs.
            UploadLost, SpaceMissing: they cannot be stored.
        """
        data = self._joined(pieces)
        if self._staged.position + len(data) > self._upload.size:
            raise UploadPieceTooLong
        if self._hash:
            self._hash.update(data)
        with _disk_errors_translated():
            self._staged.write(data)
        if self._staged.position - self._checked >= rules.BYTES_PER_STEP:
            if self._hash is None:
                self._store()
            self._checked = self._staged.position
            self.require_space()

    def _joined(self, pieces: Sequence[bytes]) -> memoryview:
        """Return the pieces as one, because the interpreter's lock is passed on with each call for one of them.

        Memory of this size is reserved once: the system takes long to make it available.
        """
        size = sum(map(len, pieces))
        if self._hash:
            self._hash.wait()
        if size > len(self._buffer):
            self._buffer = bytearray(size)
        joined, end = memoryview(self._buffer)[:size], 0
        for piece in pieces:
            joined[end : end + len(piece)] = piece
            end += len(piece)
        return joined

    def require_space(self) -> None:
        """Raise SpaceMissing if the disk has room for nothing more. Others may have filled it since the beginning."""
        missing = self._upload.size - self._staged.position
        if missing and self._staged.free_bytes() < rules.RESERVED_BYTES:
            raise SpaceMissing(size=missing, free=0)

    def end(self) -> int:
        """Record that the whole piece was received, and return how much of the upload is stored.

        Raises:
            ChecksumMismatch: it differs from its checksum, so that it must be sent again.
        """
        if self._hash and self._hash.digest() != self._checksum:
            raise ChecksumMismatch
        # The last step may have ended exactly here, and a complete upload is moved to its place only once.
        if self._staged.position > self._stored:
            self._store()
        return self._stored

    def close(self) -> None:
        """Store what was received of a piece that was interrupted, unless it could not be checked."""
        try:
            if self._hash is None and self._staged.position > self._stored:
                self._store()
        finally:
            self._staged.close()
            if self._hash:
                self._hash.close()

    def _store(self) -> None:
        self._staged.sync()
        self._uploads.store_received(self._upload, self._staged.position)
        self._stored = self._staged.position


@contextmanager
def _disk_errors_translated() -> Iterator[None]:
    try:
        with writing():
            yield
    except LocationUnusable as reason:
        raise LibraryUnavailable(reason.message) from None
    except StagingBusy:
        raise UploadBusy from None
    except StagingGone:
        raise UploadLost from None


def _device_of(area: StagingArea) -> int | None:
    try:
        return area.disk().device
    except (OSError, LocationUnusable):
        return None


def _placing(upload: Upload) -> NewTask:
    return NewTask(
        task_type=PLACE_UPLOAD,
        name=Message("place-upload", game=upload.game, version=upload.version),
        subject=upload_subject(upload.id),
        queue=Queue.DEFAULT,
        acls=(Permission.LIBRARY_WRITE, Permission.TASK_READ),
        arguments=PlaceUploadArguments(upload=upload.id),
    )
