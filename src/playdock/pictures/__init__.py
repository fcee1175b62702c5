"""Pictures: drawing the ones we make, checking and re-encoding the ones we are given. Pure: bytes in, bytes out."""
