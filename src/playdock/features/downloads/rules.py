"""How a browser is told to keep what it gets."""

from urllib.parse import quote


def disposition(name: str) -> str:
    """Tell a browser to keep what it gets under a name, and never to show it (RFC 6266)."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_").replace('"', "_").replace("\\", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
