"""Patches: what takes a player from one version's installation to another's with as few bytes as possible.

A *set* of patches holds for two installations as they were when it was made, told by the ETags of their manifests. It
has *segments*: each is a zstd frame that unpacks to spans of newer files, with spans of older files before it. Sets
from a version to the next of its platform are made after its import, those to later ones when they are asked for, one
after the other and when there is nothing better to do; there are none back to earlier versions or to other platforms.
What would not save a fifth is left out; an empty set is remembered too. A set takes at most a quarter of the room for
all; when there is no room for it, those go first that were not asked for longest.
"""
