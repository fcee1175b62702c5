"""Search: finding games by what is written of them, also when it is typed wrong.

A game is found by *words* (of its title, companies, tags and descriptions; the last word asked for may be the beginning
of one) and by *grams*, runs of three letters of its title, which a slip of the finger spoils only some of. The database
finds some hundred candidates; how good each is, `rules.py` decides: the exact title first, then its beginning, its
words, what is like it, companies and tags, and in the end descriptions. What is typed is data and never syntax: nothing
but letters and digits reaches the languages that the databases are asked in.
"""
