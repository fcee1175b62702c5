"""Library feed: a person's games for other programs, such as Lutris, Playnite and EmulationStation.

The feed is read-only and has a version number. It lists the games of the caller's own library, or all games, page by
page, with all that a program needs to show, install and launch them. For each game there is an installer script for
Lutris and a file for Playnite. Games without a version are left out.
"""
