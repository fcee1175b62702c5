"""Files of managed libraries: renaming and moving games and versions, and deleting them into the trash.

A *change* of files is a row, so that it is completed or undone after any interruption. Its task moves the files, and
then changes the rows in one transaction. At most one change of a game is under way. Deleted files are in the *trash* of
their library, with the rows that make the game or version whole again, until they are restored or expire.
"""
