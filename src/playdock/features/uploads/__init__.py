"""Uploads: games that administrators send into managed libraries, from a browser or any other program.

An *upload* is a folder or an archive, for one place in a library: a version, or the only version of a game. Its list of
files is declared first; its content is that of all files, one after the other, which is sent in any number of pieces
with the protocol tus 1.0. It may be interrupted at any time and be continued where it was, by declaring the same list
again. When all bytes are there, a task compares the files with their declared hashes and moves them to their place,
where the next scan finds them. What is not continued for a week is deleted.
"""
