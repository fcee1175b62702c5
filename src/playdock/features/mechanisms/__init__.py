"""Mechanisms: the ways to sign in, which of them are switched on, and which a user has.

Every user has at least one that is switched on: the last such one is never taken away.
"""
