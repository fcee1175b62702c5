"""Installations: the files of a version on a player's computer.

A version's own files are its *layer*; a delta version is installed as its layer on top of those of its base versions.
An installation has a *manifest*, which lists all its files and chunks. Layers and manifests are stored as blobs named
after the version's revision; they are written before the revision is saved, and never changed.
"""
