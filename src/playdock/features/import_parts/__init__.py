"""Importing a large version on several nodes: its parts, and what has been read of them.

A node that imports a large version divides it into parts, from which other nodes take some. Each part is read as if it
was a version, and its results are stored as checkpoints of the import, which then has nothing left to read.
"""
