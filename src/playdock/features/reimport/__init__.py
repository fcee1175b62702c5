"""Importing again: a version whose files were changed on purpose is read anew in place.

It keeps its id. What the import before found out of files that are as they were is taken over; the version's layer and
manifest, and those of the deltas over it, become new *revisions*, all of them in one transaction. Until then, and if
anything fails, the old ones are whole. If nothing but times changed, the manifests are what they were.
"""
