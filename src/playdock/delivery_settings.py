"""The settings with which notifications are delivered outside of the app."""

from typing import Annotated

import msgspec
from msgspec import Meta


class DeliverySettings(msgspec.Struct, kw_only=True):
    """How the service sends messages. Without a mail server and a sender, it sends no email."""

    smtp_server: Annotated[
        str, Meta(description="The host of the mail server that sends email to users; none is sent if unset.")
    ] = ""
    smtp_port: Annotated[int, Meta(description="The port of the mail server.")] = 587
    smtp_tls: Annotated[
        str,
        Meta(description="How the connection is encrypted: starttls, tls (usually port 465), or none."),
    ] = "starttls"
    smtp_user: Annotated[str, Meta(description="The user name at the mail server, if it needs one.")] = ""
    smtp_password: Annotated[str, Meta(description="The password of that user.")] = ""
    smtp_from: Annotated[
        str,
        Meta(description="The sender of email, such as games@example.org or Games <games@example.org>."),
    ] = ""

    chat_delivery: Annotated[
        str,
        Meta(
            description="Where users may have notifications sent with apprise: services (Discord, Telegram, Slack and "
            "Pushover), anywhere (all that apprise knows, also servers in private networks), or off."
        ),
    ] = "services"

    @property
    def email(self) -> bool:
        """Whether the service can send email."""
        return bool(self.smtp_server and self.smtp_from)
