"""What companies and tags have in common: both are attributes that many games share.

When an administrator renames, merges or deletes an attribute, the change applies to all games that have it, as if it
had been entered there: the affected fields of these games get the source *manual*, so that no metadata refresh reverts
it, and the games are indexed again for search. To avoid deadlocks, a transaction takes the attribute's advisory lock
first and locks the games second.
"""
