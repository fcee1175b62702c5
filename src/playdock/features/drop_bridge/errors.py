"""Errors that Drop's clients receive, with Drop's texts."""

from playdock.kit.errors import Conflict, Forbidden, Invalid, NotFound


class InvalidDropPlatform(Invalid):
    """The platform of a client is none of Windows, Linux and macOS."""

    def __init__(self) -> None:
        super().__init__("Invalid or unsupported platform")


class InvalidCapabilities(Invalid):
    """A client names only capabilities that Drop does not know."""

    def __init__(self) -> None:
        super().__init__("Invalid capabilities.")


class DropRequestUnknown(NotFound):
    """No sign-in of a Drop client has this id or code: it is wrong, expired or completed."""

    def __init__(self) -> None:
        super().__init__("Request not found. Start signing in again in the client.")


class DropRequestClaimed(Invalid):
    """Another user opened this sign-in first."""

    def __init__(self) -> None:
        super().__init__("Client already claimed. Start signing in again in the client.")


class NotClaimedByYou(Forbidden):
    """The caller approves a sign-in that another user, or nobody, has opened."""

    def __init__(self) -> None:
        super().__init__("You have not opened this sign-in. Open its page again from the client.")


class NoClientListening(Conflict):
    """The client that showed the code does not wait for its approval."""

    def __init__(self) -> None:
        super().__init__("No client listening for authorization. Start signing in again in the client.")


class UnapprovedClientId(Invalid):
    """A client completes a sign-in that nobody has approved."""

    def __init__(self) -> None:
        super().__init__("Un-authorized client ID")


class InvalidHandshakeToken(Forbidden):
    """A client completes a sign-in with a wrong token."""

    def __init__(self) -> None:
        super().__init__("Invalid token")


class InvalidGameOrVersion(Invalid):
    """The game has no such version."""

    def __init__(self) -> None:
        super().__init__("Invalid game or version, or no versions added.")


class DropVersionUnknown(NotFound):
    """The game has no such version."""

    def __init__(self) -> None:
        super().__init__("Game version not found")


class InvalidDownloadContext(Invalid):
    """A context is unknown, was not used for an hour, or its version was imported again since it began."""

    def __init__(self) -> None:
        super().__init__("Invalid download context.")


class UnknownDropFile(Invalid):
    """The version of a context has no such file."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown file: {name[:200]}")


class InvalidChunkIndex(Invalid):
    """A file has no chunk with this number."""

    def __init__(self) -> None:
        super().__init__("Invalid chunk index")


class InvalidChunkRequest(Invalid):
    """The body does not list chunks as Drop's clients do."""

    def __init__(self) -> None:
        super().__init__("Invalid chunk arguments")


class CapabilityNotAllowed(Forbidden):
    """A client uses saved games without having announced that it can."""

    def __init__(self) -> None:
        super().__init__("Capability not allowed.")


class InvalidDropGame(Invalid):
    """There is no such game."""

    def __init__(self) -> None:
        super().__init__("Invalid game ID")


class InvalidSlotIndex(Invalid):
    """The number of a slot is no number."""

    def __init__(self) -> None:
        super().__init__("Invalid slotIndex")


class OutOfSaveSlots(Invalid):
    """The user has as many slots for a game as there may be."""

    def __init__(self) -> None:
        super().__init__("Out of save slots")


class DropSlotUnknown(NotFound):
    """The user has no such slot for a game."""

    def __init__(self) -> None:
        super().__init__("Save not found")


class DropChunkUnknown(NotFound):
    """A depot has no such chunk: its version was imported again, or it never existed."""

    def __init__(self) -> None:
        super().__init__("Chunk not found")
