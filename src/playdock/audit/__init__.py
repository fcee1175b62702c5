"""The audit log: what administrators have changed, and who, when and from which address.

An *entry* names the operation (the function that handles the route), the permission that it required, the *subject*
that it changed, and the given values that are no secrets. It is written in the transaction of the change, so that
neither exists without the other. The routing layer records every call that requires a permission of administrators and
may change something (docs/decisions/0077); a service adds only details that the request does not contain.

The security log (`kit/security_log.py`) is another one: sign-ins and refused requests of everybody, in files.
"""
