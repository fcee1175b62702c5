"""Downloads: the versions of a game, their manifests, and their bytes: complete, in ranges, as archives or as patches.

To *resolve* a version is to find its layers and their locations on disk; the result is cached until the next commit
that may change it. A *downloadable* is a part of a resolved version that can be sent: its image (the version's own
files, concatenated), its complete installation as a ZIP archive, or a single file. Their tables of files are cached.

Limits of speed and of simultaneous downloads apply to each user and to the service. Sent bytes are recorded
(:mod:`playdock.domain.transfers`), and subtracted from the quota of a download link that has one.
"""
