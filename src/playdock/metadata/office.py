"""The office, which gives every provider its desk."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playdock.fetching.web import Web
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Office:
    """What all desks have in common."""

    web: Web
    ledger: Ledger
    user_agent: str
    sleep: Callable[[float], None] = time.sleep

    def desk(
        self, source_id: str, *, addresses: Sequence[str], pictures: Sequence[str], allowance: Allowance, name: str = ""
    ) -> Desk:
        return Desk(
            source_id,
            name or source_id,
            self.web,
            self.ledger,
            addresses=tuple(addresses),
            pictures=tuple(pictures),
            allowance=allowance,
            user_agent=self.user_agent,
            sleep=self.sleep,
        )
