"""Game metadata: names, descriptions, companies, tags, ratings and pictures of games.

A provider's metadata is first *prepared* (fetched, with its pictures downloaded) outside any transaction, and then
*applied*: written to the game's fields. Each field records its source. A field edited by an administrator has the
source *manual*, and a later refresh does not change it.
"""
