"""Collections: games that players put together for themselves.

Everybody has one *default* collection, the own library, from the first use on; it has no other name and cannot be
deleted. Other people's collections are nobody's business: they are as if they were not there.
"""
