"""Errors about uploads."""

from playdock.kit.errors import ChangedOnTheWay, Conflict, Invalid, NotFound


class UploadUnknown(NotFound):
    """No upload has this id."""

    def __init__(self) -> None:
        super().__init__("There is no upload with this id. It may have expired. Start it again.")


class UploadLost(NotFound):
    """The files of the upload are no longer in the library's folder."""

    def __init__(self) -> None:
        super().__init__(
            "What was uploaded so far is no longer in the library's folder. Check that its disk is there, or start the "
            "upload again."
        )


class UploadBusy(Conflict):
    """Another request is sending to the upload."""

    def __init__(self) -> None:
        super().__init__("Another connection is still sending to this upload. Try again in a few seconds.")


class UploadComplete(Conflict):
    """All bytes have been received."""

    def __init__(self) -> None:
        super().__init__("This upload is complete. There is nothing more to send.")


class UploadOffsetWrong(Conflict):
    """The piece does not begin where the upload ends."""

    def __init__(self, received: int) -> None:
        super().__init__(f"This upload continues at byte {received:,}. Ask where it continues, and send from there.")


class UploadPieceTooLong(Invalid):
    """The piece has more bytes than the upload still needs."""

    def __init__(self) -> None:
        super().__init__("More bytes were sent than the files of this upload have. Start the upload again.")


class ChecksumMismatch(ChangedOnTheWay):
    """The piece differs from its checksum."""

    def __init__(self) -> None:
        super().__init__("A part of the upload was changed on its way. Send it again.")


class UploadInProgress(Conflict):
    """Other files are being uploaded to the same place."""

    def __init__(self) -> None:
        super().__init__(
            "Other files are being uploaded to the same place. Continue with these, cancel that upload, or choose "
            "another name."
        )


class DestinationTaken(Conflict):
    """There is a file or folder already where the upload belongs."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The library has “{name}” already. Choose another name, or delete the existing one first.",
            parameters={"name": name},
        )


class SpaceMissing(Conflict):
    """The disk of the library has no room for the upload."""

    def __init__(self, *, size: int, free: int) -> None:
        super().__init__(
            f"The upload needs {size:,} bytes, and the disk of the library has room for {free:,}. Make room first.",
            parameters={"size": size, "free": free},
        )


class UploadLimitReached(Conflict):
    """The limit for all uploads that are not complete is reached."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"Uploads that are not complete may have {most:,} bytes in total (UPLOADS_MAX_BYTES). Complete or cancel "
            "others first.",
            parameters={"most": most},
        )
