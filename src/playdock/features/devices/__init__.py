"""Devices: computers with the Playdock client, which act for a user (OAuth 2.0 Device Authorization Grant, RFC 8628).

A device requests authorization and gets two codes: the *user code*, which it displays, and the *device code*, its
secret. A signed-in user enters the user code and *authorizes* or *denies* the device. Until then the device polls with
its device code at the given *interval*, and finally receives its access token, once. A device has its user's personal
permissions and no system permissions. It remains signed in until it is signed out.
"""
