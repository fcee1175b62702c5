"""The secret key of the service, which encrypts short secrets in the database and is not in the database itself.

A secret that is shown again later cannot be stored as a digest, and the digest of a short secret is guessed quickly.
Both are encrypted, always in the same way, so that a row is found by the encrypted secret (docs/decisions/0040).
"""

import hashlib
import hmac
import os
import secrets
import tempfile
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from playdock.kit.errors import Unavailable

FILE_NAME = "secret.key"
# The length of 24 random bytes in base64. What is shorter may be a password, which can be guessed.
MIN_LENGTH = 32


class Purpose(StrEnum):
    """What is encrypted. A text that was encrypted for one purpose cannot be decrypted for another."""

    INVITATION = "invitation"
    USER_CODE = "user-code"
    SETTING = "setting"
    EMAIL_ADDRESS = "email-address"
    CHAT_URL = "chat-url"
    UNSUBSCRIBE = "unsubscribe"
    TICKET = "ticket"
    WEB_VIEW = "web-view"
    DROP_CHUNKS = "drop-chunks"
    WEBHOOK = "webhook"
    PUSH = "push"


class SecretKeyUnusable(Unavailable):
    """The file of the secret key does not contain one."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"{file} does not contain a key. Restore the file, or delete it; unused invitations are then lost."
        )


class SecretKeyReplaced(Unavailable):
    """The configured key is not the one in the data folder, with which secrets may have been encrypted."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"SECRET_KEY is not the key in {file}. What was encrypted with that one cannot be read, such as stored "
            "passwords of other services and unused invitations. Set SECRET_KEY to it, or delete the file."
        )


class SecretKey:
    """A configured key, or one in a file of the data folder, which is created when it is first needed."""

    def __init__(self, configured: str, folder: Path) -> None:
        self._configured = configured
        self._file = folder / FILE_NAME

    def load(self) -> None:
        """Read the key, or create it, so that it does not fail later.

        Raises:
            SecretKeyUnusable: the file does not contain a key.
            OSError: the file cannot be read or written.
        """
        _ = self._key

    def require_same(self) -> None:
        """Check that the configured key is the one in the data folder, if both exist.

        Raises:
            SecretKeyReplaced: it is not.
            OSError: the file cannot be read.
        """
        if self._configured and self._file.exists() and self._file.read_text().strip() != self._configured:
            raise SecretKeyReplaced(self._file)

    def encrypt(self, text: str, purpose: Purpose) -> str:
        """Return the encrypted text in the characters of base64url.

        Raises:
            SecretKeyUnusable, OSError: as in `load`.
        """
        from playdock.kit import encryption

        return encryption.encrypt(text, key=self._key, purpose=purpose)

    def decrypt(self, encrypted: str, purpose: Purpose) -> str | None:
        """Return the text; None if it was encrypted with another key or for another purpose, or not at all.

        Raises:
            SecretKeyUnusable, OSError: as in `load`.
        """
        from playdock.kit import encryption

        return encryption.decrypt(encrypted, key=self._key, purpose=purpose)

    def seed(self, purpose: Purpose) -> bytes:
        """Return 64 bytes for a key of another kind, which are always the same.

        Raises:
            SecretKeyUnusable, OSError: as in `load`.
        """
        return hmac.digest(self._key, f"seed of {purpose}".encode(), "sha512")

    @cached_property
    def _key(self) -> bytes:
        return hashlib.sha512((self._configured or _read_or_create(self._file)).encode()).digest()


def _read_or_create(file: Path) -> str:
    """Return the content of the file. Of several processes that create it, one succeeds, and all return its key."""
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create(file)
    key = file.read_text("ascii", "replace").strip()
    if len(key) < MIN_LENGTH:
        raise SecretKeyUnusable(file)
    return key


def _create(file: Path) -> None:
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{FILE_NAME}-") as temporary:
        temporary.write(f"{secrets.token_urlsafe(48)}\n")
        temporary.flush()
        os.fsync(temporary.fileno())
        try:
            # Unlike a renamed file, a linked one does not replace the key of another process.
            file.hardlink_to(temporary.name)
        except FileExistsError:
            return
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
