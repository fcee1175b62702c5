"""Kit: general code that is independent of games.

It contains the error families, the clock, secrets and ids, and the decoding of requests with complete error lists.
"""
