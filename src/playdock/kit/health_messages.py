"""What health checks of the dashboard say of disks, certificates and software."""

from collections.abc import Mapping

HEALTH: Mapping[str, str] = {
    "check-certificate": "Certificate",
    "check-email": "Email",
    "check-chat": "Notifications to chat services",
    "check-push": "Notifications to browsers",
    "check-software": "Software",
    "library-slow": "Its folder took {milliseconds} ms to respond. Check the disk or the network share.",
    "library-space-low": "Only {size} GiB are free on its disk. Free some space, or add a disk.",
    "space-of-library-low": "The disk of {library} has only {size} GiB left. Free some space, or add a disk.",
    "space-forecast": "{size} GiB are free. At the rate of the last days, the disk is full in {count} day. Free some "
    "space, or add a disk. | {size} GiB are free. At the rate of the last days, the disk is full in {count} days. Free "
    "some space, or add a disk.",
    "certificate-valid": "It is valid until {day}.",
    "certificate-expiring": "It expires on {day}. Renew it, and check why that did not happen automatically.",
    "certificate-expired": "It expired on {day}: browsers and clients refuse to connect. Renew it.",
    "delivery-succeeded": "The last delivery was at {last}.",
    "delivery-retried": "The current delivery has failed {count} time and is repeated. The task list shows why. | The "
    "current delivery has failed {count} times and is repeated. The task list shows why.",
    "delivery-failed": "The last delivery failed: {reason} Last successful delivery: {last}.",
    "software-versions": "Playdock {release}, Python {python}, {database}.",
    "database-sqlite": "SQLite, in a single file.",
    "database-postgresql": "PostgreSQL.",
}
