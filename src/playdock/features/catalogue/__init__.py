"""The catalogue: what is told of games.

What a provider knows of a game is *prepared* (fetched, its pictures gathered) away from any transaction, and then
*described*: written to the game's fields. Every field knows its source. What an administrator wrote stays, whatever a
provider says later.
"""
