"""Old versions: what is older than the newest versions of a game, and takes space in managed libraries.

How many versions of each platform are kept is chosen each time. Old versions are deleted with their files into the
trash, one after another, as if somebody deleted each of them.
"""
