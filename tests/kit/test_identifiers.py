"""Secrets and ids."""

import uuid

from playdock.kit.identifiers import digest, new_id, new_secret


def test_ids_are_random_uuids() -> None:
    assert uuid.UUID(new_id()).version == 4
    assert len({new_id() for _ in range(100)}) == 100


def test_a_secret_has_a_prefix_and_256_random_bits() -> None:
    prefix, _, rest = new_secret("pdt").partition("_")

    assert (prefix, len(rest)) == ("pdt", 43)
    assert len({new_secret("pdt") for _ in range(100)}) == 100


def test_equal_secrets_have_equal_digests_and_different_ones_do_not() -> None:
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest("abc") != digest("abd")


def test_any_text_has_a_digest() -> None:
    assert len(digest("\0\ud800ü")) == 64
