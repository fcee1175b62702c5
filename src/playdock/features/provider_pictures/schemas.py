"""Wire types of the pictures of providers."""

from collections.abc import Sequence
from typing import Annotated, Self

from msgspec import Meta

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import MessageCode, MessageParameters
from playdock.kit.messages import Message, parameters_of
from playdock.metadata.game_metadata import Role
from playdock.metadata.offered_pictures import OfferedPictures

Address = Annotated[str, Meta(max_length=2048, examples=["https://images.example.org/cover.jpg"])]


class ProviderPicture(ResponseBody):
    """A picture that a provider offers; a small copy is at `/api/v1/admin/import/picture?url=` and its address."""

    role: Role
    address: Address
    credit: Annotated[str, Meta(examples=[""])]
    source_id: Annotated[str, Meta(examples=["Steam"])]
    source_name: Annotated[str, Meta(examples=["Steam"])]


class FailedProvider(ResponseBody):
    """A provider that could not be asked, and why."""

    source_name: Annotated[str, Meta(examples=["IGDB"])]
    reason: Annotated[str, Meta(examples=["IGDB did not respond in time."])]
    reason_code: MessageCode
    reason_parameters: MessageParameters

    @classmethod
    def of(cls, name: str, reason: Message) -> Self:
        return cls(
            source_name=name, reason=str(reason), reason_code=reason.code, reason_parameters=parameters_of(reason)
        )


class ProviderPictures(ResponseBody):
    """The pictures that providers offer for a game, and the providers that failed."""

    pictures: Sequence[ProviderPicture]
    failed: Sequence[FailedProvider]

    @classmethod
    def of(cls, found: OfferedPictures) -> Self:
        pictures = [
            ProviderPicture(
                role=each.picture.role,
                address=each.picture.address,
                credit=each.picture.credit,
                source_id=each.provider.source_id,
                source_name=each.provider.name,
            )
            for each in found.offers
        ]
        return cls(pictures=pictures, failed=[FailedProvider.of(*each) for each in found.errors.items()])


class ProviderPictureUse(RequestBody):
    """The picture to use, and its role, as a provider offers it."""

    role: Role
    address: Address
