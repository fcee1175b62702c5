"""Libraries: the folders from which games are imported, managed by administrators.

A library has a *backend*, which understands the layout of its folder. A library can be added only if its folder is
readable; if the folder becomes unavailable later, the library remains but is not *working*. A library from which games
have been imported cannot be removed.
"""
