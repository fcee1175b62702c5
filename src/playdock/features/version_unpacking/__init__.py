"""Unpacking what is found in managed libraries: an archive or an installer becomes a folder before it is imported.

The folder takes more space, but is sent without a cache, and changed files in it are sent as patches. The archive is
kept in the trash. Installers of Inno Setup become portable games, if innoextract is installed.
"""
