"""The commands: one module for a command or a few related ones."""
