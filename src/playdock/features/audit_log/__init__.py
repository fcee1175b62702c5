"""The audit log as administrators read it: searched page by page, and exported as JSON lines.

`playdock.audit` writes it. Entries are deleted after AUDIT_LOG_DAYS.
"""
