"""The player's client for Playdock: installs, verifies, updates and launches games from a Playdock server."""

__version__ = "0.1.0"
