"""``/api/v1/admin/statistics``."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.statistics.schemas import StatisticsAnswer
from playdock.features.statistics.service import Statistics
from playdock.http.routing import get


@get("/api/v1/admin/statistics", needs=Acl.MAINTENANCE_READ)
def show_statistics(actor: Actor, statistics: Statistics) -> StatisticsAnswer:
    """Tell what the libraries hold, what was sent lately, and whether all is well."""
    return StatisticsAnswer.of(statistics.overview(actor))


ROUTES = (show_statistics,)
