"""Tags: words of a kind, such as the genre Strategy. Words that differ in more than case are different tags."""
