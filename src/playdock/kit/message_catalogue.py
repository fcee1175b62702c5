"""The English sentences of `Message` by code.

The German ones are in `web/src/problems/locales/de.json`, with the same parameters. The codes are part of the interface
and of stored tasks: change a sentence, not its code. Of two forms, the first is for a `count` of 1.
"""

from collections.abc import Mapping, Sequence

from playdock.kit.archive_messages import ARCHIVE_FAULTS
from playdock.kit.field_messages import FIELD_ERRORS, FIELD_RULES
from playdock.kit.health_messages import HEALTH
from playdock.kit.mail_messages import MAIL, MAIL_FAULTS
from playdock.kit.move_messages import MOVES
from playdock.kit.notification_messages import NOTIFICATIONS
from playdock.kit.setting_messages import SETTING_FAULTS
from playdock.kit.upload_messages import UPLOADS

TASK_NAMES: Mapping[str, str] = {
    "announce-events": "Write notifications",
    "import-game": "Import {game}",
    "import-version": "Import {game} {version}",
    "reimport-version": "Re-import {game} {version}",
    "read-parts": "Read parts of {game} {version}",
    "verify-version": "Verify {game} {version}",
    "make-patches": "Create patches for {game} from {older} to {newer}",
    "improve-patches": "Make the patches for {game} from {older} to {newer} smaller",
    "read-for-drop": "Compute checksums of {game} {version} for Drop clients",
    "refresh-game": "Refresh {game}",
    "plan-import": "Scan folders for games to import",
    "import-one-game": "Import 1 game",
    "import-games": "Import {count} games",
    "clean-invitations": "Delete expired invitations",
    "scan-libraries": "Check game folders for changes",
    "import-new-versions": "Import new versions",
    "remove-library": "Remove the game folder {library} with its games",
    "clean-sessions": "Delete expired sessions, tokens and reset links",
    "clean-objects": "Delete unused images and records",
    "clean-tasks": "Delete tasks that finished more than a month ago",
    "clean-notifications": "Delete notifications older than three months",
    "clean-statistics": "Record disk space, and delete old records",
    "compute-placeholders": "Extract colors from new images",
    "rebuild-index": "Update the search index",
    "verify-content": "Verify all versions",
    "back-up": "Back up the server",
    "place-upload": "Add the upload {game} {version}",
    "clean-uploads": "Delete uploads that were not continued",
}

LOG_LINES: Mapping[str, str] = {
    "retrying": "{reason} Trying again in {seconds} seconds.",
    "objects-deleted": "Deleted {count} object. | Deleted {count} objects.",
    "backup-copied": "Copied {count} new object ({size} bytes). | Copied {count} new objects ({size} bytes).",
    "colors-found": "Extracted colors from {count} image. | Extracted colors from {count} images.",
    "notifications-written": "Wrote {count} notification. | Wrote {count} notifications.",
    "entries-rebuilt": "Updated {count} search entry. | Updated {count} search entries.",
    "folders-not-looked-up": "{count} folder is not looked up again now, because a provider fails. | "
    "{count} folders are not looked up again now, because a provider fails.",
    "folders-to-scan": "Scanning {count} folder. | Scanning {count} folders.",
    "library-empty-now": "Skipped the game folder {library}, which is empty: its disk may be unavailable.",
    "library-unreadable-now": "Skipped the game folder {library}, which is currently unavailable.",
    "folder-fault": "{folder}: {reason}",
    "players-get-others": "Players get changed files for {versions}.",
    "players-get-same": "The files for players are unchanged.",
    "resuming": "Resuming: {files} files and {parts} partial files ({size} bytes) have already been read.",
    "parts-shared": "The files are divided into {parts} parts, which all nodes may read.",
    "parts-of-other-release": "A node with another release has divided the files.",
    "parts-left": "This node leaves the other parts to other nodes, because it cannot read one. {reason}",
    "files-read": "Files read: {files} ({size} bytes).",
    "version-maybe-renamed": "An imported version is missing from the folder, so that it may be that one under another "
    "name.",
    "version-not-newer": "The rule imports only versions whose names come after that of the newest one.",
    "version-first": "The rule imports only versions of games that have one already.",
    "version-after-delta": "The rule imports no version after a delta, which the newest one is.",
    "version-other-installer": "The rule imports only installers with the title of that of the newest version, "
    "“{program}”.",
    "version-without-program": "The rule imports only versions that have the program of the newest one, “{program}”.",
    "version-left-out": "Skipped {version}. {reason}",
    "no-version-imported": "None of the new versions can be imported as it is. The task's log says why.",
    "file-damaged": "{version}: {file}: {fault}",
    "version-damaged": "{version}: entire folder or archive: {fault}",
    "more-damaged": "{version}: {count} more file | {version}: {count} more files",
    "patches-made": "Created {made} of {count} patches, {size} bytes.",
    "patches-not-smaller": "The existing patches are at least as good and remain.",
    "patches-memory": "Smaller patches of programs need {needed} bytes of available memory. There are {available}.",
    "pictures-left-out": "Skipped additional images: {reason}",
    "picture-left-out": "Skipped an image ({role}): {reason}",
    "picture-unusable": "Skipped an image ({role}) from {provider}: {reason}",
}

TASK_ERRORS: Mapping[str, str] = {
    "cancelled": "The task was cancelled. You can start it again at any time.",
    "given-up": "The service crashed {count} times at the same point. Check the server's log and memory.",
    "unexpected-fault": "An unexpected error occurred ({error}). The server's log has the details. Please report it, "
    "then start the task again.",
    "version-imported-before": "This version has already been imported.",
    "base-changed": "The base of this delta was re-imported while the delta was being imported.",
    "base-gone": "The base of this delta was deleted.",
    "game-changed": "The game was moved or re-imported while this task was running.",
    "library-unreadable": "The game folder cannot be read. {reason}",
    "library-empty": "The game folder is empty. Check that its disk is mounted.",
    "library-away": "The game folder is unavailable. Check that its disk is mounted.",
    "library-away-for-run": "The game folder is currently unavailable. Check that its disk is mounted, then import the "
    "folder again.",
    "library-removed": "The game folder was removed. Add it again, then import the game.",
    "version-folder-gone": "The version's folder or archive is missing. Restore it, or check that its disk is mounted.",
    "game-deleted-before-import": "The game was deleted before its version was imported.",
    "game-deleted": "The game was deleted while this task was running.",
    "version-deleted-before-import": "The version was deleted before it was re-imported.",
    "version-deleted-before-verifying": "The version was deleted before it was verified.",
    "version-deleted-before-patches": "One of the two versions was deleted before the patches were created.",
    "patches-not-needed": "The order of the two versions was changed before the patches were created.",
    "provider-removed": "The provider {provider} is no longer configured.",
    "provider-no-game": "{provider} has no game with the ID {id}.",
    "file-changed": "{file} no longer matches what was imported. Restore the original file, or re-import the version.",
    "no-metadata": "{reason} Try again later, or choose another search result.",
    "invited-name-taken": "The user name {username} is taken. Choose another, or leave it to the guest.",
    "metadata-taken": "Another game already uses this metadata. Choose another search result.",
    "folder-imported-before": "This folder has already been imported.",
    "folder-gone": "The folder is no longer there. Rescan the folders.",
    "no-such-folder": "There is no such folder. Check the path and that the disk is mounted.",
    "path-of-file": "This is the path of a file. Choose the folder that contains it.",
}

REMARKS: Mapping[str, str] = {
    "imported-from-folder": "This game has already been imported from the folder {folder}.",
    "name-in-store": "The store has {game} already, from the folder {folder} in {library}. If this is a version of it, "
    "move this folder into that one. Otherwise import it as another game.",
    "name-in-store-alone": "The store has {game} already, from the folder {folder} in {library}. If this is a newer "
    "version of it, replace the files there. Otherwise import it as another game.",
    "name-in-store-beside": "The store has {game} already, from the folder {folder}. If this is another version of it, "
    "add it to the game. Otherwise import it as another game.",
    "taken-by-folder": "The folder {folder} appears to be the same game. Import only one of them.",
    "no-program-found": "No program that starts the game was found.",
    "version-without-files": "There are no files in it.",
    "download-unfinished": "{path} has not been downloaded completely. Wait for it, or delete it.",
    "cannot-be-read": "It cannot be read.",
    "archive-unimportable": "Archives of this kind cannot be imported. Unpack it into a folder with the game's name.",
    "disc-image-unimportable": "Disc images cannot be imported. Copy its files into a folder with the game's name.",
    "program-without-folder": "It is not in a folder. Move it into a folder with the game's name.",
    "archive-without-folder": "It is not in a folder. Move it into a folder with the game's name.",
    "name-not-utf8": "Its name is not UTF-8. Rename it on the server.",
    "version-fault": "{version}: {reason}",
}

# A server is a metadata provider or the identity provider.
SERVER_FAULTS: Mapping[str, str] = {
    "server-stopping": "{server} cannot be queried: the service is stopping.",
    "server-offline": "{server} cannot be reached.",
    "server-certificate": "{server} cannot be trusted: its certificate is invalid.",
    "server-unreachable": "{server} cannot be reached ({error}).",
    "server-redirects": "{server} redirects too many times.",
    "server-redirects-elsewhere": "{server} redirects to a server that is not its own.",
    "server-encoding": "{server} used an unsupported Content-Encoding.",
    "server-incomplete": "{server} sent an incomplete response.",
    "server-undecodable": "{server} sent a response that cannot be decompressed.",
    "server-timeout": "{server} did not respond in time.",
    "server-timeout-after": "{server} did not respond within {count} second. | {server} did not respond within "
    "{count} seconds.",
    "server-response-too-large": "{server} sent more than {size} bytes.",
}

PROVIDER_FAULTS: Mapping[str, str] = {
    "provider-status": "{provider} responded with status {status}.",
    "provider-rate-limited": "{provider} has reached its rate limit.",
    "provider-error": "{provider} reported an error ({error}).",
    "provider-unexpected": "{provider} sent an unexpected response.",
    "provider-not-json": "{provider} responded with {media_type} instead of JSON.",
    "provider-unknown-format": "{provider} responded in an unknown format instead of JSON.",
    "provider-wrong-key": "{provider} rejected the API key.",
    "provider-wrong-client": "{provider} rejected the client ID or secret.",
    "provider-no-token": "{provider} did not issue a token in time.",
    "provider-unexpected-token": "{provider} sent an unexpected response instead of a token.",
    "provider-no-record": "{provider} has no such record.",
    "provider-foreign-image": "{provider} does not serve images from this URL.",
}

IMAGE_FAULTS: Mapping[str, str] = {
    "image-too-large": "This image is larger than {size} MiB. Choose a smaller one.",
    "image-too-many-pixels": "This image has more than 40 million pixels. Choose a smaller one.",
    "image-too-long": "This image is more than {side} pixels wide or high. Choose a smaller one.",
    "image-format": "This file cannot be used. Choose an image in {formats} or {last} format.",
    "image-scans": "This image consists of too many scans. Save it again and upload the new file.",
    "image-damaged": "This image is damaged. Save it again and upload the new file.",
}

IMAGE_ROLES: Mapping[str, str] = {
    "role-cover": "cover",
    "role-banner": "banner",
    "role-icon": "icon",
    "role-logo": "logo",
    "role-carousel": "carousel",
}

# Why the path of a file is not safe; see `path-unsafe`.
PATH_FAULTS: Mapping[str, str] = {
    "path-not-utf8": "its name is not UTF-8",
    "path-control-character": "its name contains a control character",
    "path-backslash": "its name contains a backslash",
    "path-absolute": "its path is absolute",
    "path-dots": "its path contains `..`",
    "path-empty-part": "a part of its path is empty",
    "path-too-long": "its path or a part of it is too long",
    "path-trailing-dot": "a part of its path ends with a dot or a space, which Windows drops",
    "path-reserved": "a part of its path is a reserved name on Windows",
    "path-of-client": "the player's client keeps its own files there",
    "target-empty": "its target is empty",
    "target-absolute": "its target is an absolute path",
    "target-invalid": "its target is not valid UTF-8 or contains a control character or a backslash",
}

VERSION_FAULTS: Mapping[str, str] = {
    "path-unsafe": "“{path}” cannot be imported: {reason}. Rename or remove it.",
    "path-twice": "The archive contains “{path}” twice. Re-create it with only one of them.",
    "path-file-and-folder": "“{path}” is both a file and a folder. Rename one of them.",
    "path-differs-by-case": "“{path}” and “{other}” differ only by case or invisible characters, which Windows and "
    "macOS ignore. Rename one of them.",
    "link-unusable": "The link “{path}” cannot be used: {reason}. Replace it with its target.",
    "link-outside": "The link “{path}” points outside the version. Replace it with its target.",
    "link-circular": "The symlink “{path}” is circular. Remove it.",
    "link-too-long": "The link “{path}” is too long. Re-create the archive without it.",
    "file-irregular": "“{path}” is a device, pipe or socket. Remove it.",
    "file-private": "“{path}” belongs to the service's own data, and players could download it. Move that data "
    "elsewhere.",
    "file-unreadable": "“{path}” cannot be read. Grant read access to the user that Playdock runs as.",
    "file-changing": "“{path}” changed while it was read. Wait until the version is complete.",
    "not-a-version": "The version is neither a folder nor an archive. Unpack it, or pack it as .zip.",
    "version-folder-unreadable": "The version's folder cannot be read. Grant read access to the user that Playdock "
    "runs as.",
    "no-such-file": "The version has no file {path}.",
    "damage-missing": "missing",
    "damage-changed": "changed",
    "damage-rot": "corrupted",
    "damage-unreadable": "unreadable",
    "damage-added": "added",
}

# How the content of a folder differs from a game.
DIFFERENCES: Mapping[str, str] = {
    "version-missing": "The version {version} is missing. If its files are lost, delete this version first.",
    "version-left-behind": "The version {version} is beside the folder of the game. Assign the game to a folder next "
    "to it, or delete this version first.",
    "in-version": "In the version {version}:",
    "file-missing": "“{path}” is missing.",
    "file-not-of-version": "“{path}” is not a file of the version.",
    "file-size-differs": "“{path}” has a different size.",
    "file-content-differs": "“{path}” has different content.",
}

STORAGE_FAULTS: Mapping[str, str] = {
    "folder-unreadable": "The folder is not readable. Grant read access to the account that the service runs as.",
    "library-private": "This folder contains the service's own data, or is inside it; players could download it. "
    "Choose another folder, or move the data with DATA_DIR, OBJECTS_URL or DATABASE_URL.",
    "library-outside-roots": "The folder is not inside a folder that LIBRARY_ROOTS allows. Choose another folder, or "
    "add it to the setting.",
    "library-path": "This is a URL. Enter the path of a folder on the server, or choose S3.",
    "library-url": "This is no location in S3. Enter s3://, the name of the bucket, and the prefix of the games.",
    "folder-failed": "The folder cannot be read: {reason}.",
    "storage-failed": "The storage failed: {reason}.",
    "storage-failed-reading": "The storage failed while reading the version: {reason}.",
    "storage-error": "The storage reported a read or write error. Check the disk or the network share.",
    "storage-read-only": "The service cannot write its data: the folder is read-only. Make it writable for the user "
    "that Playdock runs as, and run `playdock doctor`.",
    "disk-full": "The disk is full. Free some space.",
    "quota-exceeded": "The disk quota is used up. Free some space.",
    "share-lost-file": "The network share lost the file. Check that it is mounted.",
    "share-not-connected": "The network share is not connected. Check that it is mounted.",
    "share-host-down": "The network share's host is not responding. Check that it is running.",
    "storage-timeout": "The storage did not respond in time. Check the disk or the network share.",
    "files-of-service": "The service has too many files open. Raise its limit of open files.",
    "files-of-system": "The system has too many files open. Close other programs, or raise its limit.",
    "out-of-memory": "The machine is out of memory. Close other programs, or add memory.",
    "object-storage-failed": "The object storage is not responding, or reported an error. Try again later, and run "
    "`playdock doctor` for the reason.",
    "object-storage-refused": "The object storage refuses the service's access key. Check OBJECTS_ACCESS_KEY_ID and "
    "OBJECTS_SECRET_ACCESS_KEY, and what they permit.",
    "object-storage-no-bucket": "The bucket of the object storage does not exist. Create it, or check its name and "
    "OBJECTS_ENDPOINT.",
    "object-cache-full": "All files in the server's cache of objects are in use. Try again later, or raise "
    "OBJECTS_CACHE_MAX_BYTES.",
}

# The words of the operating system for its errors.
SYSTEM_ERRORS: Mapping[str, str] = {
    "system-access": "Permission denied",
    "system-not-permitted": "Operation not permitted",
    "system-no-entry": "No such file or directory",
    "system-not-a-directory": "Not a directory",
    "system-read-only": "Read-only file system",
    "system-io": "Input/output error",
    "system-loop": "Too many levels of symbolic links",
    "system-name-too-long": "File name too long",
    "system-no-device": "No such device or address",
}

# The errors of fields that people fill in on pages, and those of programs.
CHECKS: Mapping[str, str] = {
    "check-library": "Library {library}",
    "check-libraries": "Libraries",
    "check-data-folder": "Data folder",
    "check-versions": "Versions",
    "check-tasks": "Tasks",
    "check-backups": "Backups",
    "check-address": "Address",
    "check-providers": "Metadata providers",
    "check-provider": "Metadata provider {provider}",
    "check-database": "Database",
    "library-readable": "Its folder can be read.",
    "library-faulty": "{reason} Alternatively, change the path of the game folder.",
    "no-answer": "Not responding. Check that the disk is mounted and its file server is up.",
    "no-library": "No libraries yet. Add the folder that contains your games.",
    "data-folder-unusable": "It cannot be used: {reason}. Set DATA_DIR to a writable folder.",
    "space-almost-gone": "Only {size} MiB are free. Free some space, at least 1 GiB.",
    "space-low": "Only {size} GiB are free, less than 5% of the disk. Free some space before the disk is full.",
    "space-free": "{size} GiB are free.",
    "no-damage": "No known damage.",
    "versions-damaged": "Files of {count} version no longer match what was imported. “File integrity” lists them. "
    "Restore the files and verify the version, or re-import it. | Files of {count} versions no longer match what was "
    "imported. “File integrity” lists them. Restore the files and verify the versions, or re-import them.",
    "no-task-failed": "No task failed in the last day.",
    "tasks-failed": "{count} task failed in the last day. The task list shows why. Fix the cause and retry. | {count} "
    "tasks failed in the last day. The task list shows why. Fix the causes and retry.",
    "backups-not-deleted": "Old backups could not be deleted. {reason}",
    "backup-made": "The last backup was made at {last}.",
    "backup-old": "The last backup was made at {last}, more than two days ago. The task list shows why.",
    "backup-failed": "The last backup failed: {reason} Last successful backup: {last}.",
    "no-backup-yet": "No backup has been made yet. Start one on the Tasks page.",
    "address-secure": "The server is at {address}.",
    "address-local": "Links begin with {address}, which only the server's own machine can open. Set EXTERNAL_URL, or "
    "visit the server at its address in your network: see README.md.",
    "address-insecure": "The server is at {address}, without HTTPS: passwords can be intercepted. Put an HTTPS "
    "reverse proxy in front and set EXTERNAL_URL to its address: see docs/operating.md.",
    "providers-set-up": "{providers}.",
    "providers-unanswered": "{count} folder could not be looked up: {reason} It is looked up again later. | "
    "{count} folders could not be looked up: {reason} They are looked up again later.",
    "no-providers": "None is configured: games are imported without metadata.",
    "provider-without-keys": "It is listed in METADATA_PROVIDERS, but its keys are not set. Set them: see "
    "docs/settings.md.",
}

# Only in what earlier releases stored.
EARLIER: Mapping[str, str] = {
    "provider-given-up": "{provider} failed repeatedly and was skipped. It will be asked again later.",
    "provider-failed": "{provider} {reason}.",
}

PARTS: Sequence[Mapping[str, str]] = (
    TASK_NAMES,
    LOG_LINES,
    TASK_ERRORS,
    NOTIFICATIONS,
    REMARKS,
    SERVER_FAULTS,
    PROVIDER_FAULTS,
    IMAGE_FAULTS,
    IMAGE_ROLES,
    PATH_FAULTS,
    VERSION_FAULTS,
    ARCHIVE_FAULTS,
    DIFFERENCES,
    STORAGE_FAULTS,
    SYSTEM_ERRORS,
    FIELD_RULES,
    FIELD_ERRORS,
    CHECKS,
    HEALTH,
    SETTING_FAULTS,
    MAIL,
    MAIL_FAULTS,
    UPLOADS,
    MOVES,
    EARLIER,
)

TEMPLATES: Mapping[str, str] = {code: sentence for part in PARTS for code, sentence in part.items()}
