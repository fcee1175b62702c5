"""The errors of the client. Messages are for users: what is wrong, and what to do."""

ALLOW_HTTP_VARIABLE = "PLAYDOCK_ALLOW_HTTP"


class ClientError(Exception):
    """The base class of all expected errors of this package."""


class ServerUnavailable(ClientError):
    """The server cannot be reached, or the connection fails repeatedly."""


class NotSignedIn(ClientError):
    """There is no token, or the server rejected it."""


class UnencryptedConnection(ClientError):
    """The address is neither encrypted nor on this machine, and that has not been allowed."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"The connection to {address} would not be encrypted: others on the network could read your token "
            "and change the games. Use the server's https address. If it has none and you trust the network, allow "
            f"it once: playdock-client login --allow-http {address} (in programs, set {ALLOW_HTTP_VARIABLE}=1)"
        )


class RequestRefused(ClientError):
    """The server refused a request. `type` is the problem's code, such as ``version-unknown``; `status` is HTTP's."""

    def __init__(self, message: str, *, status: int, type: str) -> None:  # noqa: A002 - the name in the problem document
        super().__init__(message)
        self.status = status
        self.type = type


class BadResponse(ClientError):
    """The response is not that of a Playdock server, or is not trustworthy."""


class BadManifest(BadResponse):
    """The manifest is invalid or unsafe."""


class VersionChanged(ClientError):
    """The version was re-imported during the download, so its manifest has changed."""


class WrongBytes(ClientError):
    """Downloaded bytes repeatedly did not match their hash."""


class SignInPending(ClientError):
    """The device is not authorized yet; poll again after the interval."""


class SlowDown(SignInPending):
    """The device is not authorized yet, and the interval must increase by five seconds."""


class SignInRefused(ClientError):
    """The device was denied, or the code has expired."""


class DiskError(ClientError):
    """Reading or writing files failed."""


class DiskFull(DiskError):
    """There is not enough free space."""


class FolderTaken(ClientError):
    """The folder contains other files."""


class FolderBusy(ClientError):
    """Another process is using the installation."""


class GameRunning(FolderBusy):
    """The game is running, so that its files cannot be changed and it cannot be launched again."""


class NotRunning(ClientError):
    """The game is not running, so that it cannot be stopped."""


class CannotLaunch(ClientError):
    """The game cannot be launched; the message says why."""


class NotInstalled(ClientError):
    """There is no complete installation in the folder."""


class UnfinishedInstallation(NotInstalled):
    """An interrupted installation can be resumed in the folder."""
