"""Scans of libraries: what is new in them, and importing it by the rules of the library.

A scan lists the versions of all libraries and compares them with the *found versions* of the last one. What is new is
left alone until its files have been unchanged for the *quiet time*; then it is planned, and the rules of the library
decide once whether it is imported. A *watcher* requests a scan when something has appeared or disappeared.

A library that cannot be read, or that lists nothing although it did before, is left as it is: its disk is away.
"""
