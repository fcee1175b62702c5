"""What is wrong with a setting, as the settings page and the terminal say it."""

from collections.abc import Mapping

SETTING_FAULTS: Mapping[str, str] = {
    "setting-not-flag": "It must be true or false.",
    "setting-not-number": "It must be a whole number, with digits only.",
    "setting-url": "It must begin with http:// or https:// and must not contain spaces or a password.",
    "setting-base-url": "It must be http:// or https:// with a host, and may end with a path such as /games.",
    "setting-needed-for-openid": "OpenID requires it too.",
    "setting-endpoint-needed": "OpenID requires it too. Alternatively, set the discovery URL OIDC_WELLKNOWN.",
    "setting-backup-place": "It must be the path of a folder, or s3://bucket/prefix.",
    "setting-time": "It must be a time of day, such as 04:00.",
    "setting-needed-for-email": "Email requires it too.",
    "setting-mail-sender": "It must be an email address, such as games@example.org or Games <games@example.org>.",
    "quiet-hours-empty": "Quiet hours cannot begin and end at the same time.",
    "time-zone-unknown": "The server does not know this time zone.",
    "setting-mail-server": "It must be the name of a host or an IP address, without a port.",
    "setting-mail-ascii": "Mail servers accept only ASCII characters here: no umlauts or other accents.",
    "setting-one-of": "It must be {others} or {last}.",
    "setting-some-of": "Unknown: {unknown}. Known: {known}, none.",
    "setting-range": "It must be from {least} to {most}.",
    "setting-unknown": "There is no such setting on this page.",
    "setting-fixed": "It is set by {source}. Change it there.",
    "provider-keys-missing": "{provider} needs all of its keys.",
    "setting-unreadable": "It was encrypted with another secret key. Set it again.",
}
