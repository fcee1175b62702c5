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
    "articles-published": "{count} news article | {count} news articles",
    "request-added": "{game} has been requested",
    "requests-added": "{count} game has been requested | {count} games have been requested",
    "request-accepted": "Your request for {game} was accepted",
    "request-declined": "Your request for {game} was declined",
    "requests-answered": "{count} of your requests was answered | {count} of your requests were answered",
    "request-done": "{game}, which you wanted, is in the store",
    "requests-done": "{count} game that you wanted is in the store | {count} games that you wanted are in the store",
    "deliver-webhooks": "Deliver webhooks",
    "webhooks-sent": "{count} delivery sent | {count} deliveries sent",
    "event-id-invalid": "Enter the id of an event that a stream has sent.",
    "webhook-secret-lost": "The secret of this webhook cannot be read. Delete the webhook and create it again.",
    "webhook-host-unknown": "The host {host} is unknown.",
    "webhook-host-private": "{host} is in a private network. Allow that with WEBHOOKS_PRIVATE_NETWORKS.",
    "webhook-url-unusable": "Enter a URL with a host and without a user name.",
    "names": "{names}",
    "names-and-more": "{names} and {count} more",
}
