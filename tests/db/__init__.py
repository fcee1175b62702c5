"""Tests of connections, transactions and migrations."""
