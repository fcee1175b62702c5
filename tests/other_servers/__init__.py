"""Databases of other servers, built from the names of tables and columns in their public sources."""
