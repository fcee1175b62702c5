"""Unpacking what is found in libraries: an archive or an installer becomes a folder before it is imported.

The folder takes more space, but is sent without a cache, and changed files in it are sent as patches. It is in a
library that Playdock manages: in that of the archive, which is kept in the trash, or in another one; then the archive
stays where it is, and is ignored. Installers of Inno Setup become portable games, if innoextract is installed.
"""
