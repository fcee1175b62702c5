"""Installations: what a version is on a player's machine, which is its own layer over those of its bases.

Layers and manifests are blobs named by the version's revision, written before the revision is and never changed.
"""
