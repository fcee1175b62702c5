"""Bulk import: find out which game every folder is, and import many of them in one go.

A *plan* has a row for each folder that is not imported: the *clues* on disk, the *candidates* that match them, each
with a *confidence*, and the versions with guesses of what starts them. A row is *certain* when independent clues agree.

A *run* imports selected rows of the plan. It has a row for each folder with what was selected for it, resumes after a
crash, and imports nothing twice. *Undoing* a run deletes its games; the folders remain.
"""
