"""Patches: updating an installation from one version to another with as few bytes as possible.

A *set* of patches applies to two installations with specific content, identified by the ETags of their manifests. It
consists of *segments*: each is a zstd frame that decompresses to spans of newer files, with spans of older files as its
dictionary. Sets are made in the background, from earlier to later versions for the same platform, and from a version
to the previous one. A set is made quickly at first, and a large one is replaced by a smaller one while the machine has
nothing else to do. Segments that save less than a fifth are omitted; an empty set is stored too, so that it is not made
again. A set may use up to a quarter of the space for all sets; to make room, the least recently requested sets are
deleted.
"""
