"""Why a picture of a search result is not shown."""

from playdock.kit.errors import BadGateway, Invalid


class NoProvidersPicture(Invalid):
    """The address is not where a metadata provider has its pictures."""

    def __init__(self) -> None:
        super().__init__("No metadata provider has its pictures there. Take an address from a search result.")


class PictureAway(BadGateway):
    """The picture's provider did not give it, or gave something else."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The picture cannot be shown. {reason}")
