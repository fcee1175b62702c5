"""Settings: read once from the environment and an ``.env`` file, each with a description."""

from playdock.settings.fields import Settings
from playdock.settings.loading import SettingsUnusable, load

__all__ = ["Settings", "SettingsUnusable", "load"]
