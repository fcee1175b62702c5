"""Importing versions of games from folders and archives, and re-importing them in place.

A *full* version can be installed alone. A *delta* is layered on its *base*: the latest version for its platform at the
time of the import. An import runs as a task, reads each file once and saves checkpoints, so that it can resume. It
stores the version's layer and manifest, and adds the version's row last: a version is either complete or absent. A
*re-import* reads changed files again and gives the version, and all deltas on top of it, new revisions.
"""
