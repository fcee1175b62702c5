"""Tags: labels of games, such as the genre Strategy, managed by administrators.

A tag has a kind and a name; the name is unique within the kind, ignoring case. Two tags become one only when an
administrator *merges* them: games with the first get the second, and the first is deleted. Deleting a tag keeps its
games. Renaming, merging or deleting a tag counts as a manual edit of its games, so that no metadata refresh brings the
old tag back (see :mod:`playdock.domain.attributes`).
"""
