"""The Content-Disposition header (RFC 6266)."""

from urllib.parse import quote


def attachment(name: str) -> str:
    """Return a Content-Disposition header that makes browsers save a response under a name."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_").replace('"', "_").replace("\\", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
