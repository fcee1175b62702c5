"""Libraries: the folders from which games are imported, and the backends that understand their layout."""
