"""Which commands a version gets that follows another one."""

from types import SimpleNamespace
from typing import Any

import pytest

from playdock.features.version_import.rules import (
    count_older,
    incompleteness,
    newest_by_platform,
    request_after,
    why_unlike,
)


def _version(**values: Any) -> Any:
    unset = {"only_setup": False, "launch": "", "launch_args": "", "setup": "", "setup_args": "", "compat_id": None}
    return SimpleNamespace(**{"game_id": "g", "name": "1.0", "platform": "Windows", "delta": False, **unset, **values})


@pytest.mark.parametrize(
    ("previous", "version", "files", "expected"),
    [
        ({"launch": "doom.exe"}, "1.1", {"doom.exe"}, ("doom.exe", "")),
        ({"launch": "doom.exe", "setup": "setup.exe"}, "1.1", {"doom.exe"}, None),
        ({"launch": "doom.exe", "delta": True}, "1.1", {"doom.exe"}, None),
        (
            {"only_setup": True, "setup": "setup_x_1.5.exe"},
            "setup_x_1.6.exe",
            {"setup_x_1.6.exe"},
            ("", "setup_x_1.6.exe"),
        ),
        ({"only_setup": True, "setup": "setup_x_1.5.exe"}, "setup_y_1.6.exe", {"setup_y_1.6.exe"}, None),
        ({"only_setup": True, "setup": "setup_x_1.5.exe"}, "1.6", {"game.exe"}, None),
    ],
)
def test_a_version_has_the_commands_of_the_one_before_it(
    previous: dict[str, Any], version: str, files: set[str], expected: tuple[str, str] | None
) -> None:
    request = request_after(_version(**previous), version, files.__contains__)
    assert (request and (request.launch, request.setup)) == expected


def test_each_platform_has_a_newest_version() -> None:
    rows = [
        _version(name=name, platform=platform) for name, platform in (("1", "Linux"), ("2", "Windows"), ("3", "Linux"))
    ]
    assert [each.name for each in newest_by_platform(rows)] == ["3", "2"]


@pytest.mark.parametrize(
    ("names", "new", "expected"),
    [
        ([], "1.0", 0),
        (["1.0", "1.1"], "1.2", 2),
        (["1.0", "1.2"], "1.1", 1),
        (["1.9", "1.10"], "1.2", 0),
        (["1.10"], "v1.9 (GOG)", 0),
        (["1.7.0", "1.6.0"], "1.5.0", 0),
        # An admin's order is kept: only those at the end are compared.
        (["1.2", "1.0"], "1.1", 2),
        (["1.2", "beta-build"], "1.1", 2),
        (["1.2"], "remaster", 1),
        (["1.0"], "1.0", 1),
    ],
)
def test_a_version_comes_before_the_newer_ones_at_the_end(names: list[str], new: str, expected: int) -> None:
    assert count_older(names, new) == expected


@pytest.mark.parametrize(
    ("paths", "code"),
    [
        ([], "version-without-files"),
        (["game.exe", "data/pak01.vpk.part"], "download-unfinished"),
        (["game.exe", "pak02.vpk.crdownload"], "download-unfinished"),
        (["Unbestätigt 1234.crdownload"], "download-unfinished"),
        (["game.exe.PART"], "download-unfinished"),
        (["game.exe", "effects/smoke.part", "part", ".part"], None),
    ],
)
def test_downloads_that_are_not_finished_are_recognized(paths: list[str], code: str | None) -> None:
    reason = incompleteness(paths)
    assert (reason.code if reason else None) == code


@pytest.mark.parametrize(
    ("newest", "is_older", "code", "parameters"),
    [
        ([], True, "version-first", {}),
        ([_version(launch="doom.exe")], False, "version-not-newer", {}),
        ([_version(delta=True, launch="doom.exe")], True, "version-after-delta", {}),
        ([_version(launch="there", setup="setup.exe")], True, "version-without-program", {"program": "setup.exe"}),
        (
            [_version(name="setup_x_1.5.exe", only_setup=True, setup="setup_x_1.5.exe")],
            True,
            "version-other-installer",
            {"program": "setup_x_1.5.exe"},
        ),
    ],
)
def test_the_reason_why_a_rule_does_not_import_a_version(
    newest: list[Any], code: str, parameters: dict[str, str], *, is_older: bool
) -> None:
    reason = why_unlike(newest, newest if is_older else [], {"there"}.__contains__)
    assert (reason.code, reason.parameters) == (code, parameters)
