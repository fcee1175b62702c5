"""Installations: what a version is on a player's machine, which is its own layer over those of its bases.

Layers and manifests are blobs under the version's id, written before the version's row and never changed.
"""
