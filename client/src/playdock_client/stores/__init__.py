"""Games that stores have installed on this machine: Steam, GOG and Epic, and launchers that install games from them.

The files of the stores are parsed by pure functions, which ignore what they do not understand. `finding` reads them.
`copy_protection` knows what files of a game say about whether it runs without its store.
"""
