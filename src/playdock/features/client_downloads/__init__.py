"""Client downloads: the player's client for each system, which anybody may download from the server.

An invited friend has no account yet, and the client is no secret, so no credential is required. `make client` builds
the files with their checksums; only files that match their checksum are offered. The address of the server travels with
a download, so that the client can suggest it: in the name of the setup program, and in a file that is added to the end
of the archive for Linux. The address is `EXTERNAL_URL`, or the one that the caller uses if that is a loopback address.
"""
