"""What has copied values of the settings, and gets the new ones when settings change."""

from collections.abc import Callable

from msgspec import Struct

from playdock.features.downloads.rules import limits_of_server
from playdock.identity.provider import IdentityProvider
from playdock.metadata.providers import Providers
from playdock.sending.limits import DownloadLimiter
from playdock.server.request_rate import RequestRate
from playdock.settings import Settings


class SettingCopies(Struct, frozen=True):
    """What has copied values of the settings; ``renewed`` returns the providers of the current ones."""

    settings: Settings
    limiter: DownloadLimiter
    request_rate: RequestRate
    provider: IdentityProvider
    providers: Providers
    renewed: Callable[[], Providers] | None

    def renew(self) -> None:
        """Pass changed settings on."""
        self.limiter.change_limits(limits_of_server(self.settings))
        self.request_rate.change(self.settings.requests_per_minute)
        self.provider.forget()
        if self.renewed:
            self.providers.replace(self.renewed().all)
