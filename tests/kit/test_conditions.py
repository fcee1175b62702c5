"""Conditional requests (RFC 9110, section 13)."""

import pytest

from playdock.kit.conditions import is_unchanged


@pytest.mark.parametrize(
    ("if_none_match", "unchanged"),
    [
        (None, False),
        ('"abc"', True),
        ('W/"abc"', True),
        ('"x", W/"y" , "abc"', True),
        ("*", True),
        (" * ", True),
        ('"abcd"', False),
        ('"ab"', False),
        ("abc", False),
        ("", False),
    ],
)
def test_entity_tags_are_compared_completely(if_none_match: str | None, unchanged: bool) -> None:  # noqa: FBT001 - a table
    assert is_unchanged(if_none_match, "abc") is unchanged
