"""Objects: pictures and other small binary data, fetched by id.

An object's bytes are written first, outside any transaction; its row is added in the transaction of the record that
refers to it. Bytes without a row are deleted by a later cleanup. The object's *reader* says who may read it:
``anonymous``, ``internal`` (all signed-in users) or the id of one user. Saved games have other readers, since only
their own feature reads them. An object never changes, so its ETag is valid
forever.
"""
