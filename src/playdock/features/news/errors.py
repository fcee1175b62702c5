"""Errors about news."""

from playdock.kit.errors import Conflict, NotFound


class NewsArticleUnknown(NotFound):
    """No article has this id."""

    def __init__(self) -> None:
        super().__init__("There is no article with this id. It may have been deleted.")


class ReleaseNotesExist(Conflict):
    """The version has release notes."""

    def __init__(self) -> None:
        super().__init__("This version has release notes already. Change them instead.")


class NewsFeedUnknown(NotFound):
    """No feed has this secret."""

    def __init__(self) -> None:
        super().__init__("There is no feed at this address. Create one on the page of your account.")
