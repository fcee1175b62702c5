"""Webhooks: programs are sent what happens (https://www.standardwebhooks.com).

Each recorded event becomes a *delivery* to each webhook that wants its type. A task sends them, signed with the secret
of the webhook, and again after growing pauses until the program accepts them. An administrator can *redeliver* one.
Deliveries are kept for 30 days. No request reaches a private network unless the setting ``WEBHOOKS_PRIVATE_NETWORKS``
allows it.
"""
