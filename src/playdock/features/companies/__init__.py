"""Companies: the developers and publishers of games, managed by administrators.

Company names are unique, ignoring case. Two companies become one only when an administrator *merges* them: the games of
the first are assigned to the second, and the first is deleted. Deleting a company keeps its games. Renaming, merging or
deleting a company counts as a manual edit of its games, so that no metadata refresh brings the old name back (see
:mod:`playdock.domain.attributes`).
"""
