"""The operations on images for other packages. The first one that is called loads Pillow.

Each function is described where it is implemented. One image is processed at a time, whatever it is for, because each
may take several hundred megabytes of memory for a second; default avatars, which are small, are rendered at any time.
"""

from threading import Lock

from playdock.pictures.images import ImagePlaceholder, Rendition

_PROCESSING = Lock()


def profile_picture(data: bytes) -> bytes:
    from playdock.pictures import uploads

    with _PROCESSING:
        return uploads.profile_picture(data)


def default_avatar(seed: str) -> bytes:
    from playdock.pictures import default_avatar

    return default_avatar.render(seed)


def renditions(data: bytes) -> tuple[Rendition, ...]:
    from playdock.pictures import artwork

    with _PROCESSING:
        return artwork.renditions(data)


def preview(data: bytes) -> bytes:
    from playdock.pictures import artwork

    with _PROCESSING:
        return artwork.preview(data)


def placeholder_of(data: bytes) -> ImagePlaceholder:
    from playdock.pictures import placeholders

    with _PROCESSING:
        return placeholders.placeholder_of(data)
