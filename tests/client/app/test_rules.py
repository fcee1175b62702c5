"""Pure decisions of the app."""

from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from playdock_client.app.app_settings import AppSettings, Hours
from playdock_client.app.drives import mount_points
from playdock_client.app.holds import Hold, hold
from playdock_client.app.library import newer_version
from playdock_client.responses import VersionInfo

_NIGHT = Hours(time(22), time(6))
_DAY = Hours(time(8), time(18))


@pytest.mark.parametrize(
    ("hours", "now", "contained"),
    [
        (_NIGHT, time(23), True),
        (_NIGHT, time(0), True),
        (_NIGHT, time(5, 59), True),
        (_NIGHT, time(6), False),
        (_NIGHT, time(12), False),
        (_DAY, time(8), True),
        (_DAY, time(18), False),
        (_DAY, time(3), False),
    ],
)
def test_hours_may_pass_midnight(hours: Hours, now: time, *, contained: bool) -> None:
    assert hours.contains(now) is contained


@pytest.mark.parametrize(
    ("settings", "playing", "expected"),
    [
        (AppSettings(), False, None),
        (AppSettings(), True, Hold.PLAYING),
        (AppSettings(pause_while_playing=False), True, None),
        (AppSettings(hours=_NIGHT), False, Hold.HOURS),
        (AppSettings(hours=_DAY), False, None),
        (AppSettings(hours=_NIGHT), True, Hold.PLAYING),
    ],
)
def test_downloads_wait_for_games_and_hours(settings: AppSettings, *, playing: bool, expected: Hold | None) -> None:
    assert hold(settings, playing=playing, now=datetime(2026, 1, 1, 12, tzinfo=UTC)) is expected


def test_a_setting_of_a_game_overrides_the_general_one() -> None:
    settings = AppSettings(automatic_updates=True, automatic_updates_of={"doom": False})
    assert [settings.updates_automatically(game) for game in ("doom", "quake")] == [False, True]


def test_the_users_own_disks_are_found() -> None:
    mounts = (
        "/dev/sda1 / ext4 rw 0 0\n"
        "/dev/sdb1 /run/media/ada/My\\040Games ext4 rw 0 0\n"
        "/dev/sdc1 /mnt/ssd ext4 rw 0 0\n"
        "/dev/sdc1 /mnt/ssd ext4 rw 0 0\n"
        "proc /proc proc rw 0 0\n"
        "broken\n"
    )
    assert mount_points(mounts) == [Path("/mnt/ssd"), Path("/run/media/ada/My Games")]


def test_an_update_is_the_newest_version_of_the_same_platform() -> None:
    versions = [
        VersionInfo("1", "1.0", "Linux"),
        VersionInfo("2", "2.0", "Linux"),
        VersionInfo("3", "3.0", "Windows"),
    ]
    assert [newer_version(version, versions) and newer_version(version, versions).id for version in versions] == [  # type: ignore[union-attr]
        "2",
        None,
        None,
    ]
    assert newer_version(versions[0], []) is None
