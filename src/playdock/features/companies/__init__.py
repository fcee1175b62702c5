"""Companies: who made and who published games. Names that differ in more than case are different companies.

Two companies become one only when an administrator *merges* them: what the one made and published moves over to the
other. What an administrator decides of a company, by renaming, merging or deleting it, holds for its games as if it had
been written there: no refresh brings the old name back.
"""
