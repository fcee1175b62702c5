"""Kit: what knows nothing of games.

Errors as sentences, the clock, secrets and ids, and bodies that name every fault at once.
"""
