"""Objects: pictures and other small things, fetched by id.

An object's bytes are written first, away from any transaction; its row appears in the transaction of whatever it
belongs to. Bytes without a row are nobody's and are swept away later. Who may *read* an object is its reader:
``anonymous``, ``internal`` (whoever is signed in) or one user's id. An object never changes, so its ETag holds for
ever.
"""
