"""Release notes from providers: what the publisher wrote about a version, found when the version is imported.

They become the release notes of the version, as if an administrator had written them, unless there are some already.
"""
