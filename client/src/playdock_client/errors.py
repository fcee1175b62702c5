"""What can go wrong. Every message is a sentence or two for a person: what is the matter, and what to do about it."""


class ClientError(Exception):
    """The root of all errors that this package raises on purpose."""


class ServerAway(ClientError):
    """The server cannot be reached, or breaks off again and again."""


class NotSignedIn(ClientError):
    """The server does not know the token, or none was sent."""


class Refused(ClientError):
    """The server refused a request. `type` is the problem's code, such as ``version-unknown``; `status` is HTTP's."""

    def __init__(self, message: str, *, status: int, type: str) -> None:  # noqa: A002 - the problem document's word
        super().__init__(message)
        self.status = status
        self.type = type


class BadAnswer(ClientError):
    """The server answered with what no Playdock server answers, or with what must not be believed."""


class BadManifest(BadAnswer):
    """The server's manifest could do harm or contradicts itself."""


class VersionChanged(ClientError):
    """The version was imported again while it was being fetched; its manifest is another now."""


class WrongBytes(ClientError):
    """Bytes did not match their hash again and again."""


class SignInPending(ClientError):
    """Nobody has approved the device yet; ask again after the interval."""


class SlowDown(SignInPending):
    """The same, and the interval must grow by five seconds."""


class SignInRefused(ClientError):
    """The device was denied, or the code has expired."""


class DiskTrouble(ClientError):
    """Reading or writing files failed."""


class DiskFull(DiskTrouble):
    """There is not enough room."""


class FolderTaken(ClientError):
    """The folder holds other things already."""


class FolderBusy(ClientError):
    """Another process works on the installation."""


class NotInstalled(ClientError):
    """There is no complete installation in the folder."""


class Unfinished(NotInstalled):
    """An installation was begun there and is to be gone on with."""
