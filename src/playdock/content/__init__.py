"""The content of versions, as computations that read no library.

A *layer* is the files and links of one version as imported. An *installation* is the result of merging layers, in which
the newest file of each path wins; a *manifest* describes it to clients. Files are split into content-defined *chunks*.
The *image* of a version is the concatenation of the files of its layer.
"""
