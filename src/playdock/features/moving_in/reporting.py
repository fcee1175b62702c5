"""What a move reports."""

import msgspec
from msgspec import Struct

from playdock.features.moving_in.rules import Remark


class MoveReport(Struct):
    """What was moved: how many of each kind, what is to be said of it, and the secrets of reset links by user name."""

    added: dict[str, int] = msgspec.field(default_factory=dict)
    remarks: list[Remark] = msgspec.field(default_factory=list)
    resets: dict[str, str] = msgspec.field(default_factory=dict)

    def count(self, kind: str) -> None:
        self.added[kind] = self.added.get(kind, 0) + 1

    def remark(self, about: str, text: str) -> None:
        self.remarks.append(Remark(about, text))
