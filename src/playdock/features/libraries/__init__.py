"""Libraries: the places that games are imported from.

A library has a *backend* that knows how games lie in its place. A place that cannot be read is refused when the
library is made; one that goes away later leaves the library as it is, not *working*. A library that games have been
imported from cannot be removed.
"""
