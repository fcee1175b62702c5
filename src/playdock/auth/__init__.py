"""Who may: rights (ACLs), the actor behind a call, and the credentials that tell who it is.

An *actor* is a person together with the rights of the credential that was shown: a *session* has all the rights of its
user, a *token* those it was given, as far as its owner still has them, a *device* every ``user:`` right and no other, a
signed *link* the right to download and for one path alone. Every service method that takes an actor begins with
``actor.require(…)``; every route says whom it `needs`, so that 401 and 403 come before a body is read.
"""
