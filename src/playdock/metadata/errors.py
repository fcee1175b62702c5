"""What can go wrong with a provider. The messages are sentences that name it, and hold no address and no secret."""


class ProviderFault(Exception):
    """A provider did not give what was asked; ``passes`` if it may later."""

    def __init__(self, name: str, reason: str, *, passes: bool = False) -> None:
        super().__init__(f"{name} {reason}.")
        self.passes = passes


class Elsewhere(ProviderFault):
    """A picture's address is not where the provider has its pictures; nobody was asked."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "was to be asked at an address that is not its own")


_TOO_MANY, _FAILURES = 429, 500


class Refused(ProviderFault):
    """The provider answered with a status that says no."""

    def __init__(self, name: str, *, status: int) -> None:
        super().__init__(name, f"answered with status {status}", passes=status == _TOO_MANY or status >= _FAILURES)
        self.status = status


class TooOften(ProviderFault):
    """The provider may not be asked again so soon; nothing is wrong with it."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "may not be asked more often now", passes=True)
