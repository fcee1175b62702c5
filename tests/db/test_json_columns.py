"""JSON columns are decoded as the standard library would."""

import json

import pytest

from playdock.db.json_columns import decode_json

VALUES = [None, True, 10**25, -(10**20), 1.5, "ä\ud800", {"a": [{}, "\ud83d\ude00", 2**64]}, {"x\udc80": 1}]


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_whatever_was_written_is_read(value: object) -> None:
    text = json.dumps(value)

    assert decode_json(text) == decode_json(text.encode()) == json.loads(text)
