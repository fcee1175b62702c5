"""The command line: ``playdock serve``, ``worker``, ``invite``, ``token``, ``doctor`` and ``openapi``."""
