"""Moving in: users, libraries, games, collections, play records and saves of another server are added to this one.

What was moved is recorded in the same transaction, by its id at the other server. So a move can be repeated: it
continues where it was interrupted, and adds what has been added there since. It can also be undone as a whole.
"""
