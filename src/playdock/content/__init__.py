"""What a version consists of, decided without touching a disk.

A *layer* is the files and links of one version as they were imported; an *installation* is layers merged, the newest
file of a path winning; a *manifest* tells a client about an installation. A file is cut into *chunks* where its content
says so, and the files of a layer laid end to end are its *image*.
"""
