"""What counts as one download, which days are shown, and what is well, doubtful or broken."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

DAYS = 30
NO_ANSWER = "It does not answer. Check that its disk is there, and the server it is on."
_LEAST_FREE = 1024**3
_LEAST_SHARE = 0.05


class Download(NamedTuple):
    """What counts as one download: a user, a version, and a day (UTC)."""

    day: date
    user_id: str
    version_id: str


@dataclass(frozen=True, slots=True)
class Day:
    """What was sent on a day (UTC)."""

    day: date
    bytes: int = 0
    downloads: int = 0


class State(StrEnum):
    """How something is: as it should be, in need of a look, or broken."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and how it is; the detail tells what is wrong with it and how to mend that."""

    name: str
    state: State
    detail: str


def first_day(today: date) -> date:
    return today - timedelta(days=DAYS - 1)


def padded(found: Iterable[Day], *, today: date) -> list[Day]:
    """Give each of the last days, those without transfers too, oldest first."""
    by_day = {each.day: each for each in found}
    days = (first_day(today) + timedelta(days=number) for number in range(DAYS))
    return [by_day.get(day, Day(day)) for day in days]


def library(name: str, fault: str) -> Check:
    """Judge a library by what is wrong with its place, empty if nothing is."""
    if fault:
        return Check(f"Library {name}", State.BAD, f"{fault} Or change the library's folder.")
    return Check(f"Library {name}", State.GOOD, "Its folder can be read.")


def no_library() -> Check:
    return Check("Libraries", State.WARNING, "There are none yet. Add the folder that your games lie in.")


def no_data_folder(reason: str) -> Check:
    fix = "Set DATA_DIR to a folder that can be written."
    return Check("Data folder", State.BAD, f"It cannot be used: {reason}. {fix}")


def free_space(free: int, total: int) -> Check:
    """Judge the disk with the data folder by its bytes."""
    if free < _LEAST_FREE:
        fix = "Free some space, at least 1 GiB."
        return Check("Data folder", State.BAD, f"Only {free // 1024**2:,} MiB are free. {fix}")
    left = f"{free // 1024**3:,} GiB"
    if free < total * _LEAST_SHARE:
        fix = "Free some space before it is full."
        return Check("Data folder", State.WARNING, f"Only {left} are free, less than 5 % of its disk. {fix}")
    return Check("Data folder", State.GOOD, f"{left} are free.")


def versions(damaged: int) -> Check:
    """Judge the versions by how many are known to be damaged."""
    if not damaged:
        return Check("Versions", State.GOOD, "No damage is known.")
    fix = "GET /api/v1/admin/damage names the files. Put them back and verify the version, or import it again."
    return Check("Versions", State.BAD, f"{damaged:,} of them are not in their libraries as they were imported. {fix}")


def tasks(failed: int) -> Check:
    """Judge the tasks by how many failed in the last day."""
    if not failed:
        return Check("Tasks", State.GOOD, "None failed in the last day.")
    fix = "Each tells in the list of tasks why: mend that, and start it again."
    return Check("Tasks", State.WARNING, f"{failed:,} failed in the last day. {fix}")


def address(url: str) -> Check:
    """Judge the address under which people come: what they send must not be readable on the way."""
    if url.startswith("https://"):
        return Check("Address", State.GOOD, f"People come by {url}.")
    if _is_this_machine(urlsplit(url).hostname or ""):
        return Check("Address", State.GOOD, f"People come by {url}, from this machine alone.")
    fix = "Put a web server with https in front and set EXTERNAL_URL to its address: docs/operating.md tells how."
    return Check("Address", State.WARNING, f"People come by {url}: passwords can be read on the way. {fix}")


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def providers(names: Sequence[str]) -> Check:
    told = f"{', '.join(names)}." if names else "None is set up: games are imported without metadata."
    return Check("Metadata providers", State.GOOD, told)


def provider_without_keys(name: str) -> Check:
    fault, fix = "METADATA_PROVIDERS names it, but its keys are not set.", "Set them: docs/settings.md lists them."
    return Check(f"Metadata provider {name}", State.BAD, f"{fault} {fix}")


def database(*, embedded: bool) -> Check:
    return Check("Database", State.GOOD, "SQLite, in one file." if embedded else "PostgreSQL.")
