"""What can be wrong with a company."""

from playdock.kit.errors import Conflict, NotFound


class CompanyUnknown(NotFound):
    """No company with this id."""

    def __init__(self) -> None:
        super().__init__("There is no company with this id.")


class CompanyTaken(Conflict):
    """There is a company with that name, in whatever case."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a company named {name} already. Choose another name, or merge the two.")
