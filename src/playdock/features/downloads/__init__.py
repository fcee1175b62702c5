"""Downloads: what players get of games: versions, manifests, and bytes, whole, in parts, as archives or patches."""
