"""The web edge: wires the features into one application, finds out who calls, and turns errors into answers."""
