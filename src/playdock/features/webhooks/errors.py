"""Errors about webhooks."""

from playdock.features.webhooks.rules import MAX_WEBHOOKS
from playdock.kit.errors import Conflict, NotFound


class WebhookUnknown(NotFound):
    """No webhook has this id."""

    def __init__(self) -> None:
        super().__init__("There is no webhook with this id. It may have been deleted.")


class WebhookDisabled(Conflict):
    """The webhook is disabled."""

    def __init__(self) -> None:
        super().__init__("This webhook is paused. Resume it to send a test.")


class WebhookDeliveryUnknown(NotFound):
    """No delivery has this id."""

    def __init__(self) -> None:
        super().__init__("There is no delivery with this id. Deliveries are deleted after 30 days.")


class TooManyWebhooks(Conflict):
    """There is the maximum number of webhooks."""

    def __init__(self) -> None:
        super().__init__(f"There are {MAX_WEBHOOKS} webhooks already. Delete one that is no longer used.")
