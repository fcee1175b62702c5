"""The import plan: what every unimported folder is, decided for all of them at one view.

A *plan* has a row for each unimported folder: the *clues* that lie on disk, the *candidates* that fit them with a
*confidence*, and the versions with guesses of what starts them. A row is *certain* when independent clues agree.
"""
