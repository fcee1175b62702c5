"""Where games are: which folders of a library belong to a game, and to which of its versions."""
