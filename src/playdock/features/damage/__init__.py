"""Damage: files of versions that are not in the library any more as they were imported.

It is found when a file is to be sent, and when versions are *verified*: read again and held to the records of their
import, all of them weekly, or one when an admin asks for it. A version is damaged until its files are right again or it
was imported again. A library that is away is no damage. The path of a file is empty where it is the whole version.
"""
