"""Previews of the pictures in search results."""

from collections import OrderedDict
from threading import Lock
from typing import NewType

from anyio import CapacityLimiter
from msgspec import Struct, field

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.media.errors import ImageUnavailable, NotAProviderImage
from playdock.metadata.errors import ForeignAddress, ProviderError
from playdock.metadata.providers import Providers
from playdock.pictures.images import UnusablePicture
from playdock.pictures.operations import preview

# An administrator is waiting for the picture, and providers normally respond within a second.
_PREVIEW_SECONDS = 6.0
# About 20 KiB each: 10 MiB of memory.
_MAX_PREVIEWS = 500
# Separate threads for previews, because they wait for other servers.
PreviewThreads = NewType("PreviewThreads", CapacityLimiter)


class Previews(Struct, frozen=True):
    """Small copies of search results' pictures. The latest are cached, because pages are visited repeatedly."""

    providers: Providers
    _cache: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def show(self, actor: Actor, address: str) -> bytes:
        """Return a provider's picture as WebP of at most 320 pixels.

        Raises:
            NotAProviderImage: the address is not on a host of a provider; no request is sent.
            ImageUnavailable: the download failed, or is not a picture.
        """
        actor.require(Permission.IMPORT_GAME)
        return self._show(address)

    def show_requestable(self, actor: Actor, address: str) -> bytes:
        """Return a provider's picture for somebody who may request games. Raises as `show` does."""
        actor.require(Permission.REQUEST_READ)
        return self._show(address)

    def _show(self, address: str) -> bytes:
        with self._lock:
            cached = self._cache.get(address)
        if cached is not None:
            return cached
        image = self._fetch(address)
        with self._lock:
            self._cache[address] = image
            while len(self._cache) > _MAX_PREVIEWS:
                self._cache.popitem(last=False)
        return image

    def _fetch(self, address: str) -> bytes:
        try:
            return preview(self.providers.picture(address, seconds=_PREVIEW_SECONDS))
        except ForeignAddress:
            raise NotAProviderImage from None
        except (ProviderError, UnusablePicture) as reason:
            raise ImageUnavailable(reason.message) from None
