"""What can be asked for on the command line: one module for a command, or for a few that belong together."""
