"""What features do, over HTTP on a running service, and their rules."""
