"""Importing games from the folders of libraries.

Only folders listed as *unimported* games can be imported. An import runs as a task, optionally with the metadata of a
search result; the game appears in the store when the task is complete. A folder can be imported only once, and so can a
provider's game. The versions of a game are imported separately (`version_import`).
"""
