"""Tags: words of a kind, such as the genre Strategy. Words that differ in more than case are different tags.

Two tags become one only when an administrator *merges* them: games that have the one get the other. What an
administrator decides of a tag, by renaming, merging or deleting it, holds for its games as if it had been written
there: no refresh brings the old word back.
"""
