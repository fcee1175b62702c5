"""Search: finding games by words, tolerating typing errors.

Each game has one entry in the index. An entry has *words* (of the title, companies, tags and descriptions; the last
word of a query may be a prefix) and *grams*, runs of 3 letters of the title, of which a typing error changes only a
few. The database returns a few hundred candidates, and `rules.py` ranks them: exact titles first, then title prefixes,
words of the title, similar titles, companies and tags, and descriptions last. Queries are data, never syntax: only
letters and digits reach the query languages of the databases.
"""
