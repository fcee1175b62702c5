"""What people do with their games, in the words of pages, exports and other servers."""
