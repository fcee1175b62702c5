"""Games: what the store holds. A game comes to be by an import; its folder in a library is imported once."""
