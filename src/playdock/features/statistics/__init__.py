"""Statistics: what the libraries hold, what is sent day by day, and whether all is well.

A *download* is what one user got of one version on one day (UTC), in however many answers, from however many
processes, whole or in part, by patches too. Its bytes are those that left, counted when an answer ends; what a web
server in front sends counts with the length that was announced. What a signed link gives counts for its maker.
"""
