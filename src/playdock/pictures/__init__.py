"""Pictures: drawing the ones we make; checking, re-encoding and tinting the ones we are given. Bytes in, bytes out."""
