"""``/api/v1/admin/statistics``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.reports.schemas import StatisticsResponse
from playdock.features.reports.service import Reports
from playdock.server.link_address import link_address
from playdock.server.routing import AnyRequest, get
from playdock.settings import Settings


@get("/api/v1/admin/statistics", requires=Permission.MAINTENANCE_READ)
def show_statistics(request: AnyRequest, actor: Actor, reports: Reports, settings: Settings) -> StatisticsResponse:
    """Return storage use by library, downloads by day, and health checks."""
    return StatisticsResponse.of(reports.overview(actor, address=link_address(request, settings)))


ROUTES = (show_statistics,)
