"""Collections: lists of games that users compile for themselves.

Every user has one *default* collection, their library, which is created on first use; it cannot be renamed or deleted.
Collections are private: the collections of other users are reported as nonexistent. Deleting a collection does not
affect its games.
"""
