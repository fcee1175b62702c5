"""Files of managed libraries: changes of them that have been begun, and what is in the trash."""
