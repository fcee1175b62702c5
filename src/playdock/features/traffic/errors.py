"""Why something is not sent now."""

from playdock.kit.errors import TooMuchAtOnce


class TooManyDownloads(TooMuchAtOnce):
    """The caller, or the service, is sending as much at once as it may."""

    def __init__(self, who: str) -> None:
        super().__init__(f"{who} as many downloads at once as the limits allow. Wait for one to end and try again.")
