"""Fetching: the one way in which the service asks other servers for something.

A *request* is sent within *bounds*: the origins it may reach, how long it may take in all, how much may come back. What
is outside of them is refused, wherever an answer leads; answers are read whole, unpacked, and never trusted.
"""
