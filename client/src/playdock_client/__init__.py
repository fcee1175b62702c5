"""The player's side of Playdock: gets games from a server onto a machine, and keeps them as they should be."""

__version__ = "0.1.0"
