"""The location of data in an S3 server: its URL ``s3://bucket/prefix``, and how the server is reached."""

import re
from dataclasses import dataclass, field

_SCHEME = "s3://"
# Amazon's rules for new buckets; some servers, and old buckets, also have upper case and "_".
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")
# Without percent-encoding, empty segments, "." and "..", the name of an object is the same for all servers.
_PREFIX = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


@dataclass(frozen=True, slots=True)
class S3Location:
    """A part of a bucket. What is empty is taken from the usual environment variables, such as AWS_ACCESS_KEY_ID."""

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""
    access_key_id: str = ""
    secret_access_key: str = field(default="", repr=False)
    path_style: bool = True

    @property
    def url(self) -> str:
        return s3_url(self.bucket, self.prefix)

    def contains(self, other: "S3Location") -> bool:
        """Return whether another location is this one, or in it."""
        return f"{other.url}/".startswith(f"{self.url}/")

    def overlaps(self, other: "S3Location") -> bool:
        """Return whether one of two locations contains the other."""
        return self.contains(other) or other.contains(self)


def split_roots(roots: str) -> list[str]:
    """Return the folders and URLs of a list that is separated by commas."""
    return [root for each in roots.split(",") if (root := each.strip())]


def is_s3_url(url: str) -> bool:
    return url.startswith(_SCHEME)


def s3_url(bucket: str, prefix: str) -> str:
    return f"{_SCHEME}{bucket}/{prefix}".rstrip("/")


def split_s3_url(url: str) -> tuple[str, str]:
    """Return the bucket and the prefix of a URL; the prefix has no slash at its ends."""
    bucket, _, prefix = url.removeprefix(_SCHEME).partition("/")
    return bucket, prefix.strip("/")


def error_of_s3_url(url: str) -> str:
    """Return what is wrong with a URL, empty if nothing is."""
    bucket, prefix = split_s3_url(url) if is_s3_url(url) else ("", "")
    if not _BUCKET.fullmatch(bucket):
        return "It must have the form s3://bucket/prefix. A bucket's name has 3 to 63 letters, digits, dots or hyphens."
    if prefix and not _PREFIX.fullmatch(prefix):
        return "The prefix must consist of letters, digits, hyphens, underscores and dots, separated by slashes."
    return ""
