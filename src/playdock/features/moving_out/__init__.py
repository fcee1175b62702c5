"""Moving out: everything that the people of this server own is written to documented files.

An *export* is a folder; `playdock import-export` reads it into another server. A person's own export has only what
belongs to that person, and can also be downloaded. No export contains a secret that would give access to something.
"""
