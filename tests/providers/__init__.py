"""Stand-ins for metadata providers: real servers on loopback that respond as the real ones do.

Each implements the protocol of its provider, validates requests as strictly, and knows the same games (`games.py`).
`python -m providers`, run in `tests`, starts them for a demonstration.
"""
