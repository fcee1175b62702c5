"""``/api/v1/admin/statistics``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.reports.schemas import StatisticsResponse
from playdock.features.reports.service import Reports
from playdock.server.routing import get


@get("/api/v1/admin/statistics", requires=Permission.MAINTENANCE_READ)
def show_statistics(actor: Actor, reports: Reports) -> StatisticsResponse:
    """Return storage use by library, downloads by day, and health checks."""
    return StatisticsResponse.of(reports.overview(actor))


ROUTES = (show_statistics,)
