"""Damage: files of versions that no longer match what was imported.

It is detected when a file is sent, and when versions are *verified*: read again and compared with the hashes of their
import; all versions weekly, or one version on request. A version is damaged until its files match again or it has been
re-imported. An unavailable library is not damage. The path of a damaged file is empty if it concerns the whole version.
"""
