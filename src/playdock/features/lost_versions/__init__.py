"""Lost versions: versions that were renamed or moved within their library, while the folder of their game was not.

A version is *lost* if it was found missing and its library still does not list it. A *candidate* is something in the
folder of its game, or a folder or archive of the library, that is not imported and has its content, guessed from names
and sizes. An admin confirms a candidate; its content is then compared with the import, including samples of its bytes,
and the version is assigned to it. It keeps its id, and what players have installed of it.
"""
