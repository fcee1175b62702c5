"""Importing games: from a folder in a library to a game of the store.

What the listing of *unimported* games shows can be imported, and nothing else. An import is a task; the game appears
when the task is done. A folder is imported once, and so is a provider's game.
"""
