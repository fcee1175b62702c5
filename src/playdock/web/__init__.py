"""The web layer: it assembles the features into an application, authenticates requests, and formats error responses."""
