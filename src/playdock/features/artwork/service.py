"""Gathering pictures, making them a game's, and showing those that are not gathered."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.artwork import queries
from playdock.features.artwork.errors import NoProvidersPicture, PictureAway
from playdock.features.objects.rules import INTERNAL
from playdock.features.objects.service import Objects, Written
from playdock.fetching.web import Deadline
from playdock.jobs.work import Work
from playdock.kit.clock import Clock
from playdock.metadata.errors import Elsewhere, ProviderFault
from playdock.metadata.facts import PictureOffer, Role
from playdock.metadata.providers import MetadataProvider, Providers
from playdock.models import Picture
from playdock.pictures.artwork import Rendition, preview, renditions
from playdock.pictures.tints import Tint, tint
from playdock.pictures.uploads import UnusablePicture
from playdock.storage.blobs import NoSuchBlob

AT_ONCE = 3
_PREVIEW_SECONDS = 6.0
_MOST_PREVIEWS = 500


@dataclass(frozen=True, slots=True)
class Offer:
    """A picture that a provider offers."""

    provider: MetadataProvider
    picture: PictureOffer


@dataclass(frozen=True, slots=True)
class Gathered:
    """A picture whose bytes are stored and that belongs to nothing yet."""

    role: Role
    source: str
    address: str
    credit: str
    tint: Tint
    stored: tuple[tuple[Rendition, Written], ...]

    @property
    def id(self) -> str:
        """Give the id of the largest WebP."""
        return next(written.id for _, written in reversed(self.stored) if written.media_type == "image/webp")

    @property
    def object_ids(self) -> list[str]:
        """Give the ids of the objects that it is stored as."""
        return [written.id for _, written in self.stored]


@dataclass(frozen=True, slots=True)
class Artwork:
    """Pictures on their way into the service."""

    objects: Objects
    clock: Clock

    def gather(self, offers: Iterable[Offer], *, within: Deadline, work: Work) -> list[Gathered]:
        """Download pictures, a few at once; one that cannot be used is told of and left out.

        Of several offers of a role the first that can be used is taken; of the carousel, all. A task that must stop
        does so at once; what is on its way then is thrown away when it arrives.
        """
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="pictures")
        running = [pool.submit(self._first_usable, each, within, work) for each in _alternatives(offers)]
        try:
            work.wait_for(running)
            return [picture for each in running if (picture := each.result()) is not None]
        except BaseException:
            for each in running:
                each.add_done_callback(self._discard_arrived)
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def take_in(self, data: bytes, role: Role, *, source: str, address: str = "", credit: str = "") -> Gathered:
        """Check and store a picture.

        Raises:
            UnusablePicture: it is none that can be taken, and why.
        """
        made = renditions(data)
        tinted = tint(made[0].data)
        stored: list[tuple[Rendition, Written]] = []
        try:
            for rendition in made:
                written = self.objects.write(rendition.data, media_type=rendition.media_type)
                stored.append((rendition, written))
        except BaseException:
            self.discard(each.id for _, each in stored)
            raise
        return Gathered(role, source, address, credit, tinted, tuple(stored))

    def adopt(self, session: Session, game_id: str, gathered: Sequence[Gathered]) -> None:
        """Make pictures a game's, without using them as anything yet."""
        for picture in gathered:
            for _, written in picture.stored:
                self.objects.adopt(session, written, reader=INTERNAL)
            queries.add(session, self._row(game_id, picture))

    def tints(self, pictures: Iterable[Picture]) -> dict[str, Tint]:
        """Compute the tints of stored pictures, by their ids; what cannot be read any more is left out."""
        found = {}
        for picture in pictures:
            with suppress(NoSuchBlob, UnusablePicture):
                found[picture.id] = tint(self.objects.fetch(picture.renditions[0]["objectId"]))
        return found

    def discard(self, object_ids: Iterable[str]) -> None:
        """Throw away the bytes of objects that belong to nothing any more."""
        for object_id in object_ids:
            self.objects.discard(object_id)

    def discard_gathered(self, gathered: Iterable[Gathered]) -> None:
        """Throw away pictures that will belong to nothing."""
        self.discard(object_id for picture in gathered for object_id in picture.object_ids)

    def _discard_arrived(self, running: Future[Gathered | None]) -> None:
        if not running.cancelled() and not running.exception() and (picture := running.result()):
            self.discard_gathered([picture])

    def _first_usable(self, alternatives: Sequence[Offer], within: Deadline, work: Work) -> Gathered | None:
        for offer in alternatives:
            work.check()
            picture = offer.picture
            try:
                data = offer.provider.download(picture, within=within)
                source = offer.provider.source_id
                return self.take_in(data, picture.role, source=source, address=picture.address, credit=picture.credit)
            except ProviderFault as reason:
                work.log(f"A picture ({picture.role}) was left out: {reason}", level="warn")
            except UnusablePicture as reason:
                name = offer.provider.name
                work.log(f"A picture ({picture.role}) of {name} was left out: {reason}", level="warn")
        return None

    def _row(self, game_id: str, picture: Gathered) -> Picture:
        return Picture(
            id=picture.id,
            game_id=game_id,
            source=picture.source,
            address=picture.address,
            credit=picture.credit,
            renditions=[_described(rendition, written) for rendition, written in picture.stored],
            placeholder=picture.tint.placeholder,
            colour=picture.tint.colour,
            created=self.clock(),
        )


@dataclass(frozen=True, slots=True)
class Previews:
    """The pictures of search results, small. The latest are remembered: a page is looked at more than once.

    They are fetched side by side and decoded one after the other: a file of 70 KiB can take 600 MiB for a second.
    """

    providers: Providers
    _remembered: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _decoding: Lock = field(default_factory=Lock)

    def show(self, actor: Actor, address: str) -> bytes:
        """Give a picture from where a provider has its own, as WebP of at most 320 pixels.

        Raises:
            NoProvidersPicture: no provider has its pictures there; nobody is asked.
            PictureAway: it cannot be had, or is no picture.
        """
        actor.require(Acl.IMPORT_GAME)
        with self._lock:
            known = self._remembered.get(address)
        if known is not None:
            return known
        made = self._made(address)
        with self._lock:
            self._remembered[address] = made
            while len(self._remembered) > _MOST_PREVIEWS:
                self._remembered.popitem(last=False)
        return made

    def _made(self, address: str) -> bytes:
        try:
            data = self.providers.picture(address, seconds=_PREVIEW_SECONDS)
            with self._decoding:
                return preview(data)
        except Elsewhere:
            raise NoProvidersPicture from None
        except (ProviderFault, UnusablePicture) as reason:
            raise PictureAway(str(reason)) from None


def _alternatives(offers: Iterable[Offer]) -> list[list[Offer]]:
    """Sort offers into those of which one is enough."""
    single: dict[Role, list[Offer]] = {}
    carousel: list[list[Offer]] = []
    for offer in offers:
        if offer.picture.role is Role.CAROUSEL:
            carousel.append([offer])
        else:
            single.setdefault(offer.picture.role, []).append(offer)
    return [*single.values(), *carousel]


def _described(rendition: Rendition, written: Written) -> dict[str, Any]:
    return {
        "size": rendition.size.value,
        "mediaType": rendition.media_type,
        "width": rendition.width,
        "height": rendition.height,
        "objectId": written.id,
    }
