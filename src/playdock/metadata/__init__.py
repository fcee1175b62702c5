"""Metadata: what other people know of games.

A *provider* is one file and one line in the registry. It says what it *can* do: *search* for games by name, *fetch*
the *facts* of games by their ids there, offer *pictures*. What it asks goes through its *desk*, which keeps the
provider's limits, repeats what may pass, and remembers answers.
"""
