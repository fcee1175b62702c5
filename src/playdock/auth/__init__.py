"""Authorization: permissions, actors and the credentials that identify them.

An *actor* is a user with the permissions of a credential. A *session* has all permissions of its user, a *token* those
it was granted and its owner still has, a *device* all ``user:`` permissions, and a signed *link* the permission to
download for a single path. Every service method that takes an actor begins with ``actor.require(…)``; every route
declares what it `requires`, so that 401 and 403 are sent before a body is read.
"""
