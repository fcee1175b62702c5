"""What can go wrong with a provider. The messages are sentences that name it, and hold no address and no secret."""


class ProviderFault(Exception):
    """A provider did not give what was asked; ``passes`` if it may later."""

    def __init__(self, name: str, reason: str, *, passes: bool = False) -> None:
        super().__init__(f"{name} {reason}.")
        self.passes = passes


class Refused(ProviderFault):
    """The provider answered with a status that says no."""

    def __init__(self, name: str, *, status: int) -> None:
        super().__init__(name, f"answered with status {status}", passes=False)
        self.status = status
