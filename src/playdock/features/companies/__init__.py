"""Companies: who made and who published games. Names that differ in more than case are different companies."""
