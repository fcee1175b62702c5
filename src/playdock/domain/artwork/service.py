"""Downloading and storing the pictures of games."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.db.failures import on_rollback
from playdock.domain.artwork import queries
from playdock.domain.objects.rules import INTERNAL
from playdock.domain.objects.service import Objects, StoredBytes
from playdock.fetching.requests import Deadline
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import ImageOffer, Role
from playdock.metadata.providers import MetadataProvider
from playdock.models import Picture
from playdock.pictures.images import ImagePlaceholder, Rendition, UnusablePicture
from playdock.pictures.operations import placeholder_of, renditions
from playdock.storage.blobs import NoSuchBlob
from playdock.stored import StoredRendition
from playdock.tasks.context import TaskContext

# Enough to hide the latency of downloads without burdening a provider's server or re-encoding on all processors.
MAX_PARALLEL_DOWNLOADS = 3


class OfferedImage(Struct, frozen=True):
    """A picture that a provider offers."""

    provider: MetadataProvider
    picture: ImageOffer


class StoredImage(Struct, frozen=True):
    """A picture whose bytes are stored, but to which no row refers yet."""

    role: Role
    source: str
    address: str
    credit: str
    placeholder: ImagePlaceholder
    stored: tuple[tuple[Rendition, StoredBytes], ...]

    @property
    def id(self) -> str:
        """Return the id of the largest WebP."""
        return next(written.id for _, written in reversed(self.stored) if written.media_type == "image/webp")

    @property
    def object_ids(self) -> list[str]:
        """Return the ids of its objects."""
        return [written.id for _, written in self.stored]


class Artwork(Struct, frozen=True):
    """Operations on pictures, inside the tasks and transactions of the callers."""

    objects: Objects
    clock: Clock

    def download_images(
        self, offers: Iterable[OfferedImage], *, within: Deadline, context: TaskContext
    ) -> list[StoredImage]:
        """Download pictures, a few in parallel; unusable ones are logged and skipped.

        For each role the first usable offer is taken; for the carousel, all of them. If the task must stop, this
        returns at once, and pictures still being downloaded are discarded when they arrive.
        """
        pool = ThreadPoolExecutor(MAX_PARALLEL_DOWNLOADS, thread_name_prefix="pictures")
        running = [pool.submit(self._first_usable, each, within, context) for each in _alternatives(offers)]
        try:
            context.wait_for(running)
            return [picture for each in running if (picture := each.result()) is not None]
        except BaseException:
            for each in running:
                each.add_done_callback(self._discard_arrived)
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def take_in(self, data: bytes, role: Role, *, source: str, address: str = "", credit: str = "") -> StoredImage:
        """Check and store a picture.

        Raises:
            UnusablePicture: the picture is not acceptable, with the reason.
        """
        result = renditions(data)
        placeholder = placeholder_of(result[0].data)
        stored: list[tuple[Rendition, StoredBytes]] = []
        try:
            for rendition in result:
                written = self.objects.write(rendition.data, media_type=rendition.media_type)
                stored.append((rendition, written))
        except BaseException:
            self.discard(each.id for _, each in stored)
            raise
        return StoredImage(role, source, address, credit, placeholder, tuple(stored))

    def adopt(self, session: Session, game_id: str, pictures: Sequence[StoredImage]) -> None:
        """Add stored pictures to a game, without a use."""
        for picture in pictures:
            for _, written in picture.stored:
                self.objects.adopt(session, written, reader=INTERNAL)
            queries.add(session, self._row(game_id, picture))

    def placeholders(self, pictures: Iterable[Picture]) -> dict[str, ImagePlaceholder]:
        """Return the placeholders of stored pictures by id; pictures that cannot be read are omitted."""
        by_id = {}
        for picture in pictures:
            with suppress(NoSuchBlob, UnusablePicture):
                smallest = stored.decode(picture.renditions[0], StoredRendition)
                by_id[picture.id] = placeholder_of(self.objects.fetch(smallest.object_id))
        return by_id

    def discard(self, object_ids: Iterable[str]) -> None:
        """Delete the bytes of objects whose rows have been deleted."""
        for object_id in object_ids:
            self.objects.discard(object_id)

    def adopting(self, pictures: Iterable[StoredImage]) -> AbstractContextManager[None]:
        """Delete the bytes of pictures if the transaction inside, which adopts them, is rolled back."""
        return on_rollback(lambda: self.discard_pictures(pictures))

    def discard_pictures(self, pictures: Iterable[StoredImage]) -> None:
        """Delete the bytes of pictures that will not be added."""
        self.discard(object_id for picture in pictures for object_id in picture.object_ids)

    def _discard_arrived(self, running: Future[StoredImage | None]) -> None:
        if not running.cancelled() and not running.exception() and (picture := running.result()):
            self.discard_pictures([picture])

    def _first_usable(
        self, alternatives: Sequence[OfferedImage], within: Deadline, context: TaskContext
    ) -> StoredImage | None:
        for offer in alternatives:
            context.check()
            picture = offer.picture
            try:
                data = offer.provider.download(picture, within=within)
                source = offer.provider.source_id
                return self.take_in(data, picture.role, source=source, address=picture.address, credit=picture.credit)
            except ProviderError as reason:
                message = Message("picture-left-out", role=_role(picture.role), reason=reason.message)
                context.log(message, level="warn")
            except UnusablePicture as reason:
                provider, role = offer.provider.name, _role(picture.role)
                message = Message("picture-unusable", role=role, provider=provider, reason=reason.message)
                context.log(message, level="warn")
        return None

    def _row(self, game_id: str, picture: StoredImage) -> Picture:
        return Picture(
            id=picture.id,
            game_id=game_id,
            source=picture.source,
            address=picture.address,
            credit=picture.credit,
            renditions=stored.encode_list(
                _stored_rendition(rendition, written) for rendition, written in picture.stored
            ),
            placeholder=picture.placeholder.placeholder,
            colour=picture.placeholder.color,
            created=self.clock(),
        )


def _role(role: Role) -> Message:
    return Message(f"role-{role}")


def _alternatives(offers: Iterable[OfferedImage]) -> list[list[OfferedImage]]:
    """Group offers into lists of alternatives, of each of which one picture is needed."""
    single: dict[Role, list[OfferedImage]] = {}
    carousel: list[list[OfferedImage]] = []
    for offer in offers:
        if offer.picture.role is Role.CAROUSEL:
            carousel.append([offer])
        else:
            single.setdefault(offer.picture.role, []).append(offer)
    return [*single.values(), *carousel]


def _stored_rendition(rendition: Rendition, written: StoredBytes) -> StoredRendition:
    return StoredRendition(
        size=rendition.size.value,
        media_type=rendition.media_type,
        width=rendition.width,
        height=rendition.height,
        object_id=written.id,
    )
