"""Backups of the service, and what is restored from them.

The *backup folder* contains a folder for each *backup*, named after its time, and the objects of all backups under
their SHA-256 hashes, each once. A backup consists of a dump of the database, the *secrets* (files of the data folder),
and two lists: ``objects.txt`` with the hash, the size and the key of each object, and ``list.json`` with everything
else. It has its name only when it is complete. Games are not part of a backup.
"""
