"""Backups: making, checking and restoring them, and moving the database."""
