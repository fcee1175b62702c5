"""Errors about changing the files of managed libraries."""

from playdock.kit.errors import Conflict, NotFound


class LibraryInS3(Conflict):
    """The library is in S3, where files are not changed."""

    def __init__(self) -> None:
        super().__init__(
            "This game folder is in S3, where Playdock does not change files. Use the program with which you put them "
            "there."
        )


class FilesChanging(Conflict):
    """An earlier change of the game's files was interrupted, and is completed or undone now."""

    def __init__(self) -> None:
        super().__init__(
            "An earlier change of this game's files was interrupted, and is being completed. Try again in a minute."
        )


class FilesInUse(Conflict):
    """A version of the game is being imported or uploaded."""

    def __init__(self) -> None:
        super().__init__("A version of this game is being imported or uploaded. Wait until that has ended.")


class PlaceOccupied(Conflict):
    """There is a file or folder already where files are to be moved."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The game folder has “{name}” already. Choose another name, or rename or delete that one first.",
            parameters={"name": name},
        )


class FilesGone(NotFound):
    """The files of the game or version are not there."""

    def __init__(self) -> None:
        super().__init__("The files are not in the game folder any more. Check that its disk is there.")


class FilesAreLinked(Conflict):
    """The files are a link, or a device, which is not moved."""

    def __init__(self) -> None:
        super().__init__(
            "This is a link to another folder, or contains a device. Playdock moves only files and folders: change it "
            "on the server."
        )


class VersionNotRenamable(Conflict):
    """The version has no name of its own on the disk, or several files."""

    def __init__(self) -> None:
        super().__init__(
            "This version cannot be renamed: it is an installer, or the only version of a game without folders for "
            "versions."
        )


class VersionIsWholeGame(Conflict):
    """In this library, a version is the whole folder of its game."""

    def __init__(self) -> None:
        super().__init__("In this game folder, a game has only one version. Move or delete the game instead.")


class TrashItemUnknown(NotFound):
    """Nothing in the trash has this id."""

    def __init__(self) -> None:
        super().__init__("This is not in the trash any more. It was restored or deleted.")


class GameOfVersionDeleted(Conflict):
    """The game of a version in the trash does not exist."""

    def __init__(self) -> None:
        super().__init__("The game of this version was deleted. Restore the game first.")


class BaseDeleted(Conflict):
    """The version that a delta in the trash is based on does not exist."""

    def __init__(self) -> None:
        super().__init__(
            "The version that this one is based on was deleted, or moved to another game. Restore it or move it back "
            "first."
        )


class RestoredElsewhere(Conflict):
    """Another game or version has taken the place of the one in the trash."""

    def __init__(self) -> None:
        super().__init__("The same game or version has been imported again. Delete that one first to restore this one.")


class FilesImported(Conflict):
    """Files that were to be deleted as not imported belong to the store."""

    def __init__(self) -> None:
        super().__init__("This is imported already. Delete the game or version instead.")


class PackedVersionImported(Conflict):
    """An archive or installer is imported, and is not unpacked any more."""

    def __init__(self) -> None:
        super().__init__("This version is imported already. Delete it without its files first to unpack it.")


class GameInOneLibrary(Conflict):
    """An archive is to be unpacked into another library than that of the imported versions of its game."""

    def __init__(self) -> None:
        super().__init__(
            "This game is imported from its game folder, and all its versions are in the same one. Import the archive "
            "as it is."
        )


class UnpackedNotVersion(Conflict):
    """The folder that an archive would become would not be recognized as a version."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The folder “{name}” would not be recognized as a version of the game. Rename the archive first, for "
            "example to 1.0.",
            parameters={"name": name},
        )


class UnpackSpaceMissing(Conflict):
    """The disk of the library has no room for what an archive contains."""

    def __init__(self, *, size: int, free: int) -> None:
        super().__init__(
            f"Unpacking needs {size:,} more bytes, and the disk of the game folder has room for {free:,}. Make room "
            "first.",
            parameters={"size": size, "free": free},
        )


class MoveSpaceMissing(Conflict):
    """The disk of the other library has no room for the files."""

    def __init__(self, *, size: int, free: int) -> None:
        super().__init__(
            f"The files have {size:,} bytes, and the disk of the other game folder has room for {free:,}. Make room "
            "first.",
            parameters={"size": size, "free": free},
        )
