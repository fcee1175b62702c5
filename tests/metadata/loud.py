"""A program that asks a provider with a secret in every place, while the logs of all libraries are at their loudest.

Called with the provider's address, the database's, and whether our own logs are set up: yes or no.
"""

import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playdock.db.database import Database
from playdock.fetching.web import Deadline, Request, Web
from playdock.kit import logging as our_logging
from playdock.kit.clock import utc_now
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault
from playdock.metadata.ledger import Ledger
from playdock.metadata.providers import Ability, Found, Manual, Providers
from playdock.settings import Settings

PATHS = ("/fine", "/html", "/refused", "/busy", "/away", "/elsewhere", "/broken", "/cut")


@dataclass(frozen=True, slots=True)
class Careless(Manual):
    """Takes every answer for what it is not."""

    desk: Any = None
    address: str = ""
    source_id: str = "Careless"
    can: frozenset[Ability] = frozenset([Ability.SEARCH])

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        return [Found(**self.desk.json(Request(self.address), within=within))]


def main(address: str, database_url: str, configured: str) -> None:
    logging.basicConfig(level=logging.NOTSET, stream=sys.stderr)
    if configured == "yes":
        our_logging.configure()
    web = Web()
    ledger = Ledger(Database(Settings(database_url=database_url).database), utc_now)
    desk = Desk("Games", "Games", web, ledger, (address,), (address,), Allowance(99, 1), "Us", sleep=lambda _: None)
    for path in PATHS:
        for method in ("GET", "POST"):
            request = Request(f"{address}{path}?key=s3cret", method, {"X-Key": "s3cret", "Cookie": "s3cret"}, b"s3cret")
            with suppress(ProviderFault):
                desk.json(request, within=Deadline.after(30))
    with suppress(ProviderFault):
        desk.picture(f"{address}/refused?key=s3cret", within=Deadline.after(30))
    Providers([Careless(desk=desk, address=f"{address}/fine?key=s3cret")]).search("s3cret")
    web.close()
    logging.getLogger().warning("the end")


if __name__ == "__main__":
    main(*sys.argv[1:])
