"""Types of fields that many schemas share, each with an example for the OpenAPI document."""

from typing import Annotated, Any

from msgspec import Meta

# Ids are random UUIDs. The example is fixed, so that it does not differ between two generated documents.
Id = Annotated[str, Meta(examples=["3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"])]
MessageCode = Annotated[str, Meta(description="The code of the sentence, for translation.", examples=["files-read"])]
MessageParameters = Annotated[
    dict[str, Any],
    Meta(
        description="What the sentence is about: text, numbers, or sentences (`text`, `code`, `parameters`).",
        examples=[{"files": 5269, "size": 743_006_930}],
    ),
]
Timestamp = Annotated[str, Meta(examples=["2026-11-20T05:38:00.000Z"])]
Expiry = Annotated[str, Meta(examples=["2027-01-31T12:00:00.000Z"])]
GameTitle = Annotated[str, Meta(examples=["SuperTuxKart"])]
VersionTitle = Annotated[str, Meta(examples=["1.4"])]
Bytes = Annotated[int, Meta(examples=[743_006_930])]
# Of lists that people page through. Lists of any length have cursors instead (`kit.cursors`).
Offset = Annotated[int, Meta(ge=0, le=1_000_000, description="How many of the first ones to leave out.")]
# BLAKE3 in hexadecimal.
ContentHash = Annotated[str, Meta(examples=["6caa1e87302642466f698a7962066904a3499b453bfd623354546ec1c41b8ed4"])]
