"""The settings page has a text for every setting and section, in every language."""

import json

import pytest

from playdock.editable_settings import EDITABLE, Section

from .source import ROOT


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_setting_and_section_has_a_text(language: str) -> None:
    """Add the new setting to the locales of the settings page."""
    texts = json.loads((ROOT / f"web/src/features/server_settings/locales/{language}.json").read_text())

    assert set(texts["texts"]) == {each.name.upper() for each in EDITABLE}
    assert set(texts["sections"]) == set(Section)
