"""Limits on the wire."""

from playdock.features.traffic.service import Standing
from playdock.kit.bodies import Answer


class ServerLimitsAnswer(Answer):
    """How many bytes a second and transfers at once the service sends, null for any number, and how many it does."""

    download_rate: int | None
    downloads_at_once: int | None
    running: int

    @classmethod
    def of(cls, standing: Standing) -> "ServerLimitsAnswer":
        limits = standing.limits
        return cls(
            download_rate=limits.rate or None, downloads_at_once=limits.at_once or None, running=standing.running
        )


class LimitsAnswer(Answer):
    """The same for the caller, and for the whole service."""

    download_rate: int | None
    downloads_at_once: int | None
    running: int
    server: ServerLimitsAnswer

    @classmethod
    def of(cls, own: Standing, *, server: Standing) -> "LimitsAnswer":
        return cls(
            download_rate=own.limits.rate or None,
            downloads_at_once=own.limits.at_once or None,
            running=own.running,
            server=ServerLimitsAnswer.of(server),
        )
