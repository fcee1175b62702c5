"""Bytes on disk: versions in a library, read as they lie there, and Playdock's own objects.

A *tree* is a version as it lies in a library, a folder or a `.zip`; nothing is ever written into it. *Ingesting* a tree
reads each of its files once and gives its layer. *Blobs* are what Playdock itself keeps, named by their content.
"""
