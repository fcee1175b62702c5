"""Playdock: a self-hosted game distribution service."""

__version__ = "0.1.0"
