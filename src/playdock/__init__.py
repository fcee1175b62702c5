"""Playdock: a self-hosted game distribution service."""
