"""Metadata: what is known of games elsewhere, behind one port.

A *provider* knows games by its own ids; a *reference* names one of them. For now the only provider is `Manual`: what
the administrator says.
"""
