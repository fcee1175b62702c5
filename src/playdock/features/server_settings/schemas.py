"""The settings page on the wire."""

from typing import Annotated

from msgspec import Meta

from playdock.editable_settings import Section
from playdock.features.server_settings.rules import SettingKind, SettingsTarget
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import MessageCode

# Longer than every URL and key. Control characters could change what a terminal or a log shows.
_Text = Annotated[str, Meta(max_length=2048, pattern=r"^[^\x00-\x1f\x7f]*$")]
SettingName = Annotated[str, Meta(examples=["DOWNLOAD_RATE"])]
SettingValues = Annotated[
    dict[str, _Text | None],
    Meta(
        description="Values by the names of settings, written as for an environment variable; null for the default.",
        examples=[{"DOWNLOAD_RATE": "5000000"}],
    ),
]


class SettingResponse(ResponseBody):
    """A setting. `value` is what is set, and null for secrets, of which only `isSet` is known.

    If `fixedBy` names a source, the setting can be changed only there. With `needsRestart`, a change takes effect when
    the service starts again; `isPending` says that this has not happened yet. A stored value with a `fault` is not
    used. The `choices` are the values of `oneOf`; `someOf` is a list of them, separated by commas, `none`, or empty for
    all of them.
    """

    name: SettingName
    section: Section
    kind: SettingKind
    choices: Annotated[list[str], Meta(examples=[["starttls", "tls", "none"]])]
    description: Annotated[str, Meta(examples=["The rate of all downloads together in bytes per second."])]
    value: Annotated[str, Meta(examples=["5000000"])] | None
    default: Annotated[str, Meta(examples=["0"])]
    is_set: bool
    fixed_by: Annotated[str, Meta(examples=["the environment"])] | None
    needs_restart: bool
    is_pending: bool
    fault: Annotated[str, Meta(examples=["It must be from 1 to 36,500."])] | None
    fault_code: MessageCode | None
    fault_parameters: Annotated[dict[str, str | int], Meta(examples=[{"least": 1, "most": 36_500}])]


class SettingsResponse(ResponseBody):
    """The settings that administrators can change, in the order of the page."""

    settings: list[SettingResponse]


class SettingsChanges(RequestBody):
    """The settings to change."""

    values: SettingValues


class SettingsTest(RequestBody):
    """What is tested, with values that need not be saved yet; saved ones are used for the others."""

    what: SettingsTarget
    values: SettingValues
