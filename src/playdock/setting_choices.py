"""What settings with a fixed set of values can be."""

from collections.abc import Mapping

from playdock.kit.log_config import FORMATS, LEVELS

# One of these values, by the name of the field.
ONE_OF: Mapping[str, tuple[str, ...]] = {
    "chat_delivery": ("services", "anywhere", "off"),
    "log_format": FORMATS,
    "log_level": LEVELS,
    "smtp_tls": ("starttls", "tls", "none"),
}
# Some of these values, separated by commas, or `NONE`; unset, they are all chosen.
SOME_OF: Mapping[str, tuple[str, ...]] = {
    "metadata_providers": ("Steam", "IGDB", "GiantBomb", "PCGamingWiki", "SteamGridDB"),
}
NONE = "none"


def chosen(text: str) -> frozenset[str]:
    """Return the values of a list, in lower case."""
    return frozenset(value.strip().lower() for value in text.split(",")) - {"", NONE}
