"""The settings that administrators can change on the settings page.

A new one is one line in `EDITABLE`, and its texts in the locales of the page. It takes effect without a restart if the
code reads it from `Settings` when it needs it; what is copied at the start has `restart=True`, or a listener of
`domain.server_settings`. Secrets are stored encrypted and never shown.
"""

from enum import StrEnum

from msgspec import Struct


class Section(StrEnum):
    """The sections of the page, in their order."""

    ADDRESS = "address"
    METADATA = "metadata"
    LIBRARIES = "libraries"
    OPENID = "openid"
    EMAIL = "email"
    CHAT = "chat"
    SIGN_IN = "sign-in"
    LIMITS = "limits"
    BACKUPS = "backups"
    RECORDS = "records"


class Editable(Struct, frozen=True):
    """A setting on the page, by the name of its field in `Settings`."""

    name: str
    section: Section
    secret: bool = False
    restart: bool = False


EDITABLE = (
    Editable("external_url", Section.ADDRESS, restart=True),
    Editable("metadata_providers", Section.METADATA),
    Editable("contact", Section.METADATA),
    Editable("igdb_client_id", Section.METADATA),
    Editable("igdb_client_secret", Section.METADATA, secret=True),
    Editable("giantbomb_api_key", Section.METADATA, secret=True),
    Editable("steamgriddb_api_key", Section.METADATA, secret=True),
    Editable("library_quiet_seconds", Section.LIBRARIES),
    Editable("watch_libraries", Section.LIBRARIES, restart=True),
    Editable("library_scan_minutes", Section.LIBRARIES),
    Editable("verify_days", Section.LIBRARIES),
    Editable("trash_days", Section.LIBRARIES),
    Editable("uploads_max_bytes", Section.LIBRARIES),
    Editable("archive_max_files", Section.LIBRARIES, restart=True),
    Editable("archive_max_bytes", Section.LIBRARIES, restart=True),
    Editable("unpacked_max_bytes", Section.LIBRARIES, restart=True),
    Editable("patches_max_bytes", Section.LIBRARIES, restart=True),
    Editable("saves_max_bytes", Section.LIBRARIES),
    Editable("saves_kept", Section.LIBRARIES),
    Editable("oidc_wellknown", Section.OPENID),
    Editable("oidc_client_id", Section.OPENID),
    Editable("oidc_client_secret", Section.OPENID, secret=True),
    Editable("oidc_scopes", Section.OPENID),
    Editable("oidc_admin_group", Section.OPENID),
    Editable("oidc_groups_claim", Section.OPENID),
    Editable("oidc_username_claim", Section.OPENID),
    Editable("oidc_require_auth_time", Section.OPENID),
    Editable("smtp_server", Section.EMAIL),
    Editable("smtp_port", Section.EMAIL),
    Editable("smtp_tls", Section.EMAIL),
    Editable("smtp_user", Section.EMAIL),
    Editable("smtp_password", Section.EMAIL, secret=True),
    Editable("smtp_from", Section.EMAIL),
    Editable("chat_delivery", Section.CHAT),
    Editable("disable_simple_auth", Section.SIGN_IN),
    Editable("refuse_weak_passwords", Section.SIGN_IN),
    Editable("session_idle_days", Section.SIGN_IN, restart=True),
    Editable("token_max_days", Section.SIGN_IN),
    Editable("download_rate", Section.LIMITS),
    Editable("download_rate_per_user", Section.LIMITS),
    Editable("downloads_at_once", Section.LIMITS),
    Editable("downloads_at_once_per_user", Section.LIMITS),
    Editable("requests_per_minute", Section.LIMITS),
    Editable("backup_folder", Section.BACKUPS),
    Editable("backup_time", Section.BACKUPS),
    Editable("backups_kept", Section.BACKUPS),
    Editable("audit_log_days", Section.RECORDS),
    Editable("security_log_days", Section.RECORDS, restart=True),
)
