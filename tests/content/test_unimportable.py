"""Files that cannot be imported, with the reason."""

import pytest

from playdock.content.unimportable import reason_against


@pytest.mark.parametrize(
    ("file_name", "code"),
    [
        ("Doom.rar", "archive-without-folder"),
        ("Doom.part2.rar", "archive-unimportable"),
        ("Doom.txt.gz", "archive-unimportable"),
        ("Doom.iso", "archive-without-folder"),
        ("Doom.nrg", "disc-image-unimportable"),
        ("setup_doom_1.0.exe", "archive-without-folder"),
        ("Doom.exe", "program-without-folder"),
        ("Doom.AppImage", "program-without-folder"),
        ("Doom.zip", "archive-without-folder"),
        ("readme.txt", None),
        ("Doom", None),
    ],
)
def test_the_reason_says_what_to_do(file_name: str, code: str | None) -> None:
    reason = reason_against(file_name)
    assert (reason and reason.code) == code
