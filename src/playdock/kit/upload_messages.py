"""The English sentences about libraries and uploads, as in `message_catalogue`."""

from collections.abc import Mapping

UPLOADS: Mapping[str, str] = {
    "library-not-writable-here": "Playdock may write only to folders inside LIBRARY_ROOTS, or to its own folder for "
    "games, which it uses if you name no folder. Choose such a folder, or add yours to that setting.",
    "library-not-writable": "Playdock cannot write to this folder. Change its permissions or how it is mounted, with "
    "systemd ReadWritePaths= of the service, or choose another folder.",
    "library-twice": "This is already the folder of {library}. Change that game folder, or choose another one.",
    "library-overlaps": "This folder is that of {library}, or one of them contains the other. Playdock changes files "
    "in a managed game folder, which must therefore be separate. Choose another folder.",
    "library-folder-required": "Enter the path of the folder.",
    "library-backend-fixed": "A folder cannot become a bucket in S3, nor a bucket a folder. Add another game folder.",
    "request-folder-unknown": "This game folder has no such folder, or it has not been scanned yet. Rescan it on the "
    "Import page, and try again.",
    "preview-only-folders": "Only folders can be previewed. Choose a layout of folders.",
    "upload-type": "The media type must be {wanted}.",
    "upload-offset": "Enter the byte at which the upload continues.",
    "upload-checksum": "Enter sha256, a space, and the hash in Base64.",
    "upload-name": "“{name}” cannot be the name of a folder. {reason}",
    "upload-name-unsafe": "“{name}” cannot be the name of a folder: {reason}.",
    "upload-name-slash": "It contains a slash.",
    "upload-name-hidden": "It begins with a dot.",
    "upload-name-long": "It is longer than {most} bytes.",
    "upload-game-is-archive": "In this game folder, every game needs a folder of its own. Remove the ending of an "
    "archive from the name.",
    "upload-no-versions": "In this game folder, games have no folders for versions. Leave the version empty.",
    "upload-installer-alone": "“{name}” is the name of an installer. Upload only it and its parts, such as "
    "setup_game-1.bin.",
    "upload-archive-alone": "“{name}” is the name of an archive, which must be the only file. Choose a name without "
    "this ending for a folder.",
    "upload-empty": "All files are empty. Choose the folder or archive of a game.",
    "upload-differs": "“{path}” is missing, or its size or content is not what was declared. Start the upload again.",
    "files-move-game": "Move the files of {game} to {path} in {library}",
    "files-rename-version": "Rename {game} {version} to {name}",
    "files-move-version": "Move {game} {version} to {other}",
    "files-delete-game": "Delete {game} with its files",
    "files-delete-version": "Delete {game} {version} with its files",
    "files-delete-unimported": "Move {path} to the trash (not imported)",
    "files-unpack": "Unpack {name} of {game}",
    "files-unpack-elsewhere": "Unpack {name} of {game} into {library}",
    "files-restore": "Restore {game} {version}",
    "files-restore-game": "Restore {game}",
    "old-versions-delete": "Delete old versions",
    "old-version-kept": "{version} was kept: {reason}",
    "old-versions-deleted": "Old versions deleted: {count}.",
    "files-erase": "Erase deleted files",
    "files-settle": "Complete an interrupted change of files",
    "clean-trash": "Erase deleted files that have expired",
    "files-other-ending": "A folder cannot become an archive, nor an archive another one. Keep the ending of the name.",
    "files-unchanged": "This is where the files are already. Choose another name or game folder.",
    "files-other-layout": "Games are laid out differently in that game folder. Choose one of the same kind.",
    "files-other-game-flat": "That game has only one version: it has no folders for versions.",
    "files-delta-alone": "This version is a delta and has no complete files of its own. It stays with the game of its "
    "base.",
    "files-confirm": "Enter “{name}” to confirm.",
    "staging-area-unusable": "Something else is where its folder .playdock/uploads should be. Remove it.",
    "upload-still-open": "The last connection has not ended yet.",
}
