"""The English sentences of messages and their tasks, and of what can go wrong with them, as in `message_catalogue`."""

from collections.abc import Mapping

MAIL: Mapping[str, str] = {
    "deliver-email": "Send notifications by email",
    "deliver-chat": "Send notifications to chat services",
    "messages-sent": "Sent {count} message. | Sent {count} messages.",
    "message-delayed": "{name}: {reason} It is sent again later.",
    "message-given-up": "{name}: {reason} It is not sent again.",
    "mail-several": "{count} notification from {server} | {count} notifications from {server}",
    "mail-more": "There was {count} more notification. | There were {count} more notifications.",
    "mail-why": "You receive this message because you chose to in your account on {server}.",
    "mail-change": "Change what you receive",
    "mail-unsubscribe": "Unsubscribe from all email",
    "mail-verify-subject": "Confirm your email address for {server}",
    "mail-verify": "Somebody, probably you, wants to receive notifications from {server} at this address. Confirm it "
    "within {count} days:",
    "mail-verify-label": "Confirm this address",
    "mail-verify-ignore": "If it was not you, ignore this message. You will receive nothing else.",
    "chat-test": "Notifications from {server} arrive here.",
    "mail-test-subject": "Test message from {server}",
    "mail-test": "{server} can send email.",
}

MAIL_FAULTS: Mapping[str, str] = {
    "mail-not-set-up": "Email is not set up. An administrator can change that in the settings.",
    "chat-url": "The server cannot send messages to this URL. Enter one of an allowed service as apprise documents.",
    "chat-refused": "The message was not accepted: {reason}",
    "chat-timeout": "The service did not answer within {count} second. | "
    "The service did not answer within {count} seconds.",
    "chat-failed": "The message could not be sent, or the answer of the service is too large. Check the URL.",
    "chat-busy": "Another test is running. Try again in half a minute.",
    "mail-unreachable": "The mail server {server} cannot be reached. Check its name, port and encryption.",
    "mail-certificate": "The certificate of the mail server {server} is not valid: {reason}.",
    "mail-unsupported": "The mail server {server} does not support these settings: {reason}.",
    "mail-password-refused": "The mail server refused the user name or password: {answer}",
    "mail-refused": "The mail server refused the message: {answer}",
    "mail-unconfirmed": "The mail server {server} did not confirm the message. It may have been sent.",
    "mail-address-invalid": "The email address is not valid.",
    "mail-address-unsupported": "The mail server does not support this address.",
}
