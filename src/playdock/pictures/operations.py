"""The operations on images for other packages. The first one that is called loads Pillow.

Each function is described where it is implemented.
"""

from playdock.pictures.images import ImagePlaceholder, Rendition


def profile_picture(data: bytes) -> bytes:
    from playdock.pictures import uploads

    return uploads.profile_picture(data)


def default_avatar(seed: str) -> bytes:
    from playdock.pictures import default_avatar

    return default_avatar.render(seed)


def renditions(data: bytes) -> tuple[Rendition, ...]:
    from playdock.pictures import artwork

    return artwork.renditions(data)


def preview(data: bytes) -> bytes:
    from playdock.pictures import artwork

    return artwork.preview(data)


def placeholder_of(data: bytes) -> ImagePlaceholder:
    from playdock.pictures import placeholders

    return placeholders.placeholder_of(data)
