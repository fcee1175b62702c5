"""Requests for games: what players want to be in the store.

A player asks for a game, which is found at a metadata provider or only named. Others *vote* for it. An administrator
*accepts* the request, perhaps with the folder that has the game, or *declines* it. A request is *done* when a game with
the provider's id, or the folder, is imported; deleting the game accepts it again. A request that nobody wants any more
is deleted. All who voted are notified of the answer.
"""
