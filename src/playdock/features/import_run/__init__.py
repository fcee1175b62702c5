"""Import runs: rows of the plan, imported in one go.

A *run* has a row for each folder with what was *chosen* for it. It goes on by itself after a crash and imports nothing
twice. It can be *taken back*: its games go, the folders stay.
"""
