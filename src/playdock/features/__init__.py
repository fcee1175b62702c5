"""Features: one package for each thing a person can do, with the same few files in each."""
