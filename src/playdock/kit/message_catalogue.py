"""The English sentences of `Message` by code.

The German ones are in `web/src/problems/locales/de.json`, with the same parameters. The codes are part of the interface
and of stored tasks: change a sentence, not its code.
"""

from collections.abc import Mapping

TASK_NAMES: Mapping[str, str] = {
    "import-game": "Import {game}",
    "import-version": "Import {game} {version}",
    "reimport-version": "Import {game} {version} again",
    "verify-version": "Verify {game} {version}",
    "make-patches": "Make patches from {game} {older} to {newer}",
    "refresh-game": "Refresh {game}",
    "plan-import": "Plan the import of all folders",
    "import-one-game": "Import a game",
    "import-games": "Import {count} games",
    "clean-invitations": "Delete expired invitations",
    "clean-sessions": "Delete expired sessions, tokens and reset links",
    "clean-objects": "Delete pictures and records that belong to nothing",
    "clean-tasks": "Delete tasks that ended a month ago",
    "clean-statistics": "Delete download records older than three months",
    "compute-placeholders": "Find the colours of pictures that have none yet",
    "rebuild-index": "Rebuild search entries that an earlier release wrote",
    "verify-content": "Read all versions again, to find what was damaged since their import",
}

LOG_LINES: Mapping[str, str] = {
    "retrying": "{reason} Trying again in {seconds} seconds.",
    "objects-deleted": "Deleted {count} objects.",
    "colours-found": "Found the colours of {count} pictures.",
    "entries-rebuilt": "Rebuilt {count} search entries.",
    "folders-to-scan": "There are {count} folders to look at.",
    "library-unreadable-now": "The library {library} cannot be read now.",
    "folder-fault": "{folder}: {reason}",
    "players-get-others": "Players get changed files for {versions}.",
    "players-get-same": "The files for players are unchanged.",
    "resuming": "Resuming: {files} files and {parts} partial files, {size} bytes, have already been read.",
    "files-read": "Read {files} files, {size} bytes.",
    "version-left-out": "Skipped {version}. {reason}",
    "file-damaged": "{version}: {file}: {fault}",
    "version-damaged": "{version}: the whole version: {fault}",
    "more-damaged": "{version}: {count} more files",
    "patches-made": "Made {made} of {count} patches, {size} bytes.",
    "pictures-left-out": "Additional pictures were skipped: {reason}",
    "picture-left-out": "A picture ({role}) was skipped: {reason}",
    "picture-unusable": "A picture ({role}) from {provider} was skipped: {reason}",
}

TASK_ERRORS: Mapping[str, str] = {
    "cancelled": "The task was cancelled. Start it again when you want to.",
    "given-up": "The service stopped {count} times at the same point. Look at the server's log and memory.",
    "unexpected-fault": "Something went wrong that should not have ({error}). The server's log has the details; please "
    "report it, then start the task again.",
    "version-imported-before": "This version has already been imported.",
    "base-changed": "The base of this delta was re-imported while the delta was being imported.",
    "base-gone": "The base of this delta was deleted.",
    "game-changed": "The game was moved or re-imported while this task was running.",
    "library-unreadable": "The library cannot be read. {reason}",
    "library-empty": "The library's folder is empty. Check that its disk is mounted.",
    "library-away": "The library is unavailable. Check that its disk is mounted.",
    "library-away-for-run": "The library cannot be read now. Apply the row again when it is back.",
    "library-removed": "The game's library was removed. Add it again, then import the game.",
    "version-folder-gone": "The version's folder or archive is missing. Restore it, or check that its disk is mounted.",
    "game-deleted-before-import": "The game was deleted before its version was imported.",
    "game-deleted": "The game was deleted while this task was running.",
    "version-deleted-before-import": "The version was deleted before it was re-imported.",
    "version-deleted-before-verifying": "The version was deleted before it was verified.",
    "version-deleted-before-patches": "One of the two versions was deleted before the patches were made.",
    "patches-not-needed": "The order of the two versions was changed before the patches were made.",
    "file-changed": "{file} no longer matches what was imported. Restore the original file, or re-import the version.",
    "no-metadata": "{reason} Try again later, or choose another search result.",
    "metadata-taken": "Another game already uses this metadata. Choose another search result.",
    "folder-imported-before": "This folder has already been imported.",
    "folder-gone": "The folder is not in the library any more. Look at the plan again.",
    "no-such-folder": "There is no such folder. Check the path, and that the disk is mounted.",
}

REMARKS: Mapping[str, str] = {
    "imported-from-folder": "This game has been imported already, from the folder {folder}.",
    "taken-by-folder": "The folder {folder} is taken for the same game. Import one of them.",
    "no-program-found": "Nothing in it looks like a program that starts the game.",
    "provider-failed": "{provider} {reason}.",
    "provider-status": "{provider} responded with status {status}.",
    "provider-rate-limited": "{provider} cannot be queried now because its rate limit is reached.",
}

CHECKS: Mapping[str, str] = {
    "check-library": "Library {library}",
    "check-libraries": "Libraries",
    "check-data-folder": "Data folder",
    "check-versions": "Versions",
    "check-tasks": "Tasks",
    "check-address": "Address",
    "library-readable": "Its folder can be read.",
    "library-faulty": "{reason} Alternatively, change the library's folder.",
    "no-answer": "Not responding. Check that the disk is mounted and its file server is up.",
    "no-library": "There are none yet. Add the folder that contains your games.",
    "data-folder-unusable": "It cannot be used: {reason}. Set DATA_DIR to a writable folder.",
    "space-almost-gone": "Only {size} MiB are free. Free some space, at least 1 GiB.",
    "space-low": "Only {size} GiB are free, less than 5% of the disk. Free some space before the disk is full.",
    "space-free": "{size} GiB are free.",
    "no-damage": "No damage is known.",
    "versions-damaged": "The files of {count} no longer match what was imported. GET /api/v1/admin/damage lists the "
    "files. Restore them and verify the version, or import it again.",
    "no-task-failed": "None failed in the last day.",
    "tasks-failed": "{count} failed in the last day. The task list shows why. Fix the cause and retry.",
    "address-secure": "The server is at {address}.",
    "address-local": "The server is at {address}, reachable from this machine only.",
    "address-insecure": "The server is at {address}, without HTTPS: passwords can be intercepted. Put an HTTPS reverse "
    "proxy in front and set EXTERNAL_URL to its address: see docs/operating.md.",
}

TEMPLATES: Mapping[str, str] = {**TASK_NAMES, **LOG_LINES, **TASK_ERRORS, **REMARKS, **CHECKS}
