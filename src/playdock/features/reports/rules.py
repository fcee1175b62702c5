"""Pure decisions of the reports: which days are shown, and the state of each health check."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from playdock.domain.transfers.rules import Day
from playdock.features.delivery.rules import DeliveryChannel
from playdock.kit.messages import Message
from playdock.kit.web_urls import is_local

# The days of the dashboard's chart: a month, today included.
DAYS = 30
# As many as the dashboard's table shows; its chart shows fewer. More would make the response grow with the store.
MAX_GAMES = 100
NOT_RESPONDING = Message("no-answer")
# Below 1 GiB the database and temporary files of an import may fail to be written.
_MIN_FREE_BYTES = 1024**3
# A disk warns when less than a twentieth is free, so that there is time to act before it is full.
_MIN_FREE_SHARE = 0.05
# Fewer days say little: an import or a cleanup changes much at once.
_MIN_RECORDED_DAYS = 7
# Enough time to buy a disk.
_MIN_DAYS_LEFT = 30
# Clients of ACME renew 30 days before a certificate expires, so that by then something is wrong.
_MIN_CERTIFICATE_DAYS = 14
# A disk that works responds in milliseconds, and one that slept in seconds, but only once. A folder with hundreds of
# games is read with hundreds of such calls.
_SLOW_SECONDS = 0.2
# A daily backup, and one more that the machine was off for.
_MAX_BACKUP_AGE = timedelta(days=2)


class CheckState(StrEnum):
    """The result of a check: good, in need of attention, or broken."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


class Check(Struct, frozen=True):
    """A check and its result; the detail says what is wrong and how to fix it."""

    name: Message
    state: CheckState
    detail: Message


class LastEnds(Struct, frozen=True):
    """When the last tasks of a type ended, and why the last one that failed did; None if there is none.

    ``retries`` is how often one that has not ended has failed so far.
    """

    succeeded: datetime | None = None
    failed: datetime | None = None
    reason: str = ""
    retries: int = 0

    @property
    def is_failing(self) -> bool:
        return self.failed is not None and (self.succeeded is None or self.succeeded < self.failed)


class DiskRecord(Struct, frozen=True):
    """The free bytes of a disk on a day."""

    day: date
    free: int


def first_day(today: date) -> date:
    return today - timedelta(days=DAYS - 1)


def padded(found: Iterable[Day], *, today: date) -> list[Day]:
    """Return the last DAYS days, oldest first, including those without transfers."""
    by_day = {day.day: day for day in found}
    days = (first_day(today) + timedelta(days=number) for number in range(DAYS))
    return [by_day.get(day, Day(day)) for day in days]


def days_left(records: Sequence[DiskRecord], *, free: int) -> int | None:
    """Return in how many days a disk is full if it goes on like this; None if it does not fill, or too little is known.

    The rate is the slope of the line through the records (least squares).
    """
    if len(records) < _MIN_RECORDED_DAYS:
        return None
    days = [record.day.toordinal() for record in records]
    middle, mean = sum(days) / len(days), sum(record.free for record in records) / len(records)
    spread = sum((day - middle) ** 2 for day in days)
    slope = sum((day - middle) * (record.free - mean) for day, record in zip(days, records, strict=True)) / spread
    return round(free / -slope) if slope < 0 else None


def _filling(name: Message, free: int | None, left: int | None) -> Check | None:
    """Return a warning if a disk is full in less than a month."""
    if free is None or left is None or left >= _MIN_DAYS_LEFT:
        return None
    return Check(name, CheckState.WARNING, Message("space-forecast", size=free // 1024**3, count=left))


def library(
    name: str,
    fault: Message | None,
    *,
    seconds: float = 0.0,
    free: int | None = None,
    total: int = 0,
    left: int | None = None,
) -> Check:
    """Check a library; ``fault`` says what is wrong with its folder, ``seconds`` how long it took to respond.

    ``total`` are the bytes of its disk if games are written to it.
    """
    subject = Message("check-library", library=name)
    if fault is not None:
        return Check(subject, CheckState.BAD, Message("library-faulty", reason=fault))
    if seconds >= _SLOW_SECONDS:
        return Check(subject, CheckState.WARNING, Message("library-slow", milliseconds=int(seconds * 1000)))
    if free is not None and is_nearly_full(free, total):
        return Check(subject, CheckState.WARNING, Message("library-space-low", size=free // 1024**3))
    if full := _filling(subject, free, left):
        return full
    return Check(Message("check-library", library=name), CheckState.GOOD, Message("library-readable"))


def is_nearly_full(free: int, total: int) -> bool:
    """Return whether little of a disk is free; a ``total`` of 0 is that of a disk to which nothing is written."""
    return total > 0 and (free < _MIN_FREE_BYTES or free < total * _MIN_FREE_SHARE)


def no_library() -> Check:
    return Check(Message("check-libraries"), CheckState.WARNING, Message("no-library"))


def no_data_folder(reason: str) -> Check:
    return Check(Message("check-data-folder"), CheckState.BAD, Message("data-folder-unusable", reason=reason))


def free_space(free: int, total: int, *, left: int | None = None) -> Check:
    """Check the disk of the data folder; values are bytes, and the days until it is full if it fills."""
    name = Message("check-data-folder")
    if free < _MIN_FREE_BYTES:
        return Check(name, CheckState.BAD, Message("space-almost-gone", size=free // 1024**2))
    if free < total * _MIN_FREE_SHARE:
        return Check(name, CheckState.WARNING, Message("space-low", size=free // 1024**3))
    return _filling(name, free, left) or Check(name, CheckState.GOOD, Message("space-free", size=free // 1024**3))


def versions(damaged: int) -> Check:
    """Check the versions; ``damaged`` is how many are known to be damaged."""
    if not damaged:
        return Check(Message("check-versions"), CheckState.GOOD, Message("no-damage"))
    return Check(Message("check-versions"), CheckState.BAD, Message("versions-damaged", count=damaged))


def tasks(failed: int) -> Check:
    """Check the tasks; ``failed`` is how many failed in the last day."""
    if not failed:
        return Check(Message("check-tasks"), CheckState.GOOD, Message("no-task-failed"))
    return Check(Message("check-tasks"), CheckState.WARNING, Message("tasks-failed", count=failed))


def backups(last: LastEnds, *, now: datetime) -> Check:
    """Check the scheduled backups by when one was last made, and when one failed."""
    name, made = Message("check-backups"), last.succeeded
    if last.is_failing:
        return Check(name, CheckState.BAD, Message("backup-failed", reason=last.reason, last=_moment(made)))
    if made is None:
        return Check(name, CheckState.WARNING, Message("no-backup-yet"))
    if now - made > _MAX_BACKUP_AGE:
        return Check(name, CheckState.BAD, Message("backup-old", last=_moment(made)))
    return Check(name, CheckState.GOOD, Message("backup-made", last=_moment(made)))


def delivery(channel: DeliveryChannel, last: LastEnds) -> Check | None:
    """Check a way to deliver notifications by how the last deliveries ended; None if there were none."""
    name = Message(f"check-{channel}")
    if last.is_failing:
        detail = Message("delivery-failed", reason=last.reason, last=_moment(last.succeeded))
        return Check(name, CheckState.BAD, detail)
    if last.retries:
        return Check(name, CheckState.WARNING, Message("delivery-retried", count=last.retries))
    if last.succeeded:
        return Check(name, CheckState.GOOD, Message("delivery-succeeded", last=_moment(last.succeeded)))
    return None


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else Message("none")


def address(url: str) -> Check:
    """Check the address with which links begin.

    If it is local, others cannot open them; without HTTPS, passwords cross the network unencrypted.
    """
    name = Message("check-address")
    if is_local(url):
        return Check(name, CheckState.WARNING, Message("address-local", address=url))
    if url.startswith("https://"):
        return Check(name, CheckState.GOOD, Message("address-secure", address=url))
    return Check(name, CheckState.WARNING, Message("address-insecure", address=url))


def certificate(expires: datetime, *, now: datetime) -> Check:
    """Check the certificate of the external URL."""
    name, day = Message("check-certificate"), f"{expires:%Y-%m-%d}"
    if expires <= now:
        return Check(name, CheckState.BAD, Message("certificate-expired", day=day))
    if expires - now < timedelta(days=_MIN_CERTIFICATE_DAYS):
        return Check(name, CheckState.WARNING, Message("certificate-expiring", day=day))
    return Check(name, CheckState.GOOD, Message("certificate-valid", day=day))


def software(release: str, python: str, database_version: str) -> Check:
    detail = Message("software-versions", release=release, python=python, database=database_version)
    return Check(Message("check-software"), CheckState.GOOD, detail)


def providers(names: Sequence[str], *, unanswered: int, reason: Message | None) -> Check:
    """Check that all unimported folders could be looked up; ``reason`` is why that failed for some of them."""
    if names and reason is not None:
        failed = Message("providers-unanswered", count=unanswered, reason=reason)
        return Check(Message("check-providers"), CheckState.WARNING, failed)
    detail = Message("providers-set-up", providers=", ".join(names)) if names else Message("no-providers")
    return Check(Message("check-providers"), CheckState.GOOD, detail)


def provider_without_keys(name: str) -> Check:
    return Check(Message("check-provider", provider=name), CheckState.BAD, Message("provider-without-keys"))


def database(*, embedded: bool) -> Check:
    detail = Message("database-sqlite") if embedded else Message("database-postgresql")
    return Check(Message("check-database"), CheckState.GOOD, detail)
