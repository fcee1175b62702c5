"""Importing versions: from a folder or archive below a game to something that can be downloaded.

A *full* version stands alone. A *delta* is layered over its *base*: the newest version of its platform, which must go
back to a full one. An import reads each file once, keeps what it has learned in checkpoints, and ends with the stored
layer and manifest and, last of all, the version's row: it appears whole or not at all.
"""
