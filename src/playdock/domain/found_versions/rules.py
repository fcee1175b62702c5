"""The codes of the reasons why rules do not import a new version."""

# One of its game is missing, so that it may be that one under another name.
RENAMED = "version-maybe-renamed"
# It differs from the newest one. These are about the rules of its library.
UNLIKE_NEWEST = frozenset(
    (
        "version-first",
        "version-not-newer",
        "version-after-delta",
        "version-other-installer",
        "version-without-program",
    )
)
