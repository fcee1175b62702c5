"""Delivery: notifications that reach users outside of the app.

A *channel* is a way to a user, such as email. Users choose for each channel which kinds of notifications it delivers;
what they do not want in the app is not delivered either. A *delivery* is a notification that waits for a channel. It is
planned in the transaction that writes the notification, and deleted when the notification has been sent. Deliveries of
a user that are due at the same time become one *message*. Nothing is sent during *quiet hours*. With a *digest*,
everything is due at one time of the day. Email is sent only to an address that its owner has confirmed, and each
message has a link with which one stops all of them.
"""
