"""The secret key of the service, and what it encrypts."""

import threading
from pathlib import Path

import pytest

from playdock.kit.secret_key import FILE_NAME, Purpose, SecretKey, SecretKeyUnusable

_CONFIGURED = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("text", ["3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77", "", "ä", "\udc80", "x" * 10_000])
def test_a_text_is_encrypted_always_in_the_same_way_and_decrypted(text: str, tmp_path: Path) -> None:
    encrypted = SecretKey("", tmp_path).encrypt(text, Purpose.INVITATION)
    again = SecretKey("", tmp_path)
    assert again.encrypt(text, Purpose.INVITATION) == encrypted
    assert again.decrypt(encrypted, Purpose.INVITATION) == text
    assert not text or text not in encrypted


@pytest.mark.parametrize("encrypted", ["", "x", "ä", "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77", "A" * 72])
def test_what_was_not_encrypted_cannot_be_decrypted(encrypted: str, tmp_path: Path) -> None:
    assert SecretKey("", tmp_path).decrypt(encrypted, Purpose.INVITATION) is None


def test_another_key_or_purpose_decrypts_nothing(tmp_path: Path) -> None:
    key = SecretKey(_CONFIGURED, tmp_path)
    encrypted = key.encrypt("text", Purpose.INVITATION)
    assert SecretKey("", tmp_path).decrypt(encrypted, Purpose.INVITATION) is None
    assert key.decrypt(encrypted, Purpose.USER_CODE) is None


def test_a_configured_key_needs_no_file(tmp_path: Path) -> None:
    SecretKey(_CONFIGURED, tmp_path).load()
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_readable_only_by_its_owner_and_leaves_no_other_behind(tmp_path: Path) -> None:
    SecretKey("", tmp_path / "data").load()
    (file,) = (tmp_path / "data").iterdir()
    assert file.name == FILE_NAME
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_processes_that_create_the_key_at_once_use_the_same(tmp_path: Path) -> None:
    start, encrypted = threading.Barrier(8), set[str]()

    def encrypt() -> None:
        start.wait()
        encrypted.add(SecretKey("", tmp_path).encrypt("text", Purpose.INVITATION))

    threads = [threading.Thread(target=encrypt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(encrypted) == 1


@pytest.mark.parametrize("content", [b"", b"\n", b"too short\n", b"\xff" * 8])
def test_a_file_without_a_key_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(SecretKeyUnusable, match="does not contain a key"):
        SecretKey("", tmp_path).load()
