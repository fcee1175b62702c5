"""Stand-ins for metadata providers: real servers on loopback that answer as the real ones do.

Each speaks its provider's own language, checks what it is asked as strictly, and tells of the same games (`games.py`).
`python -m providers`, run in `tests`, starts them for a demonstration.
"""
