"""The English sentences of notifications, as in `message_catalogue`."""

from collections.abc import Mapping

NOTIFICATIONS: Mapping[str, str] = {
    "game-available": "{game} is available",
    "games-available": "{count} new game | {count} new games",
    "for-platform": "For {platform}.",
    "version-available": "{game} {version} is available",
    "versions-available": "{count} update | {count} updates",
    "damage-found": "{count} version is damaged | {count} versions are damaged",
    "task-has-failed": "Failed: {task}",
    "tasks-have-failed": "{count} task failed | {count} tasks failed",
    "folders-found": "{count} new folder to import | {count} new folders to import",
    "space-runs-out": "The server is running out of disk space",
    "names": "{names}",
    "names-and-more": "{names} and {count} more",
}
