"""Storage: versions in libraries, which are only read, and the service's own blobs.

A *tree* is a version in a library, either a folder or a `.zip`; nothing is ever written to it. *Ingesting* a tree reads
each of its files once and returns its layer. *Blobs* are files that the service writes itself.
"""
