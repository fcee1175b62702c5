"""Reports: the figures of the administrators' dashboard.

A report shows how much the libraries store, how much was downloaded on each of the last 30 days (recorded by
:mod:`playdock.domain.transfers`), and a list of health checks. A *check* has a state: good, warning (needs attention)
or bad (broken); its detail says what is wrong and how to fix it. ``playdock doctor`` uses the same checks. A library
whose disk does not respond within a second is reported as such; the report does not wait for it.
"""
