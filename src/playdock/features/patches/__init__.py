"""Patches: what takes a player from one version's installation to another's with as few bytes as possible.

A *set* of patches holds for two installations as they were when it was made, told by the ETags of their manifests. It
has *segments*: each is a zstd frame that unpacks to spans of newer files, with spans of older files before it. Sets
from a version to the next of its platform are made after its import, all others when they are asked for, one after the
other and when there is nothing better to do. What would not save a fifth is left out; an empty set is remembered too.
When the sets are larger than they may be, those go first that were not asked for longest.
"""
