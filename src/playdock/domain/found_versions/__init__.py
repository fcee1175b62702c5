"""Found versions: what scans know of the versions on disk, so that they notice what is new or still being copied."""
