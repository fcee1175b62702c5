"""``/api/v1/client-downloads``: the player's client, for anybody."""

from functools import partial

from litestar import Response

from playdock.features.client_downloads import rules
from playdock.features.client_downloads.errors import ClientDownloadUnknown
from playdock.features.client_downloads.schemas import ClientDownloadResponse, ClientUpdateResponse
from playdock.features.client_downloads.service import ClientDownloads
from playdock.kit.disposition import attachment
from playdock.kit.errors import PreconditionFailed, RangeNotSatisfiable
from playdock.sending.files import ContentMismatch, LocationUnavailable
from playdock.sending.limits import TooManyDownloads
from playdock.server.disk_threads import DiskBusy, DiskThreads
from playdock.server.file_response import Representation, Sender
from playdock.server.routing import AnyRequest, Caller, get
from playdock.settings import Settings

_OCTETS = "application/octet-stream"
_OWN_THREADS = "client-downloads"


@get("/api/v1/client-downloads", requires=Caller.ANYBODY, touches_disk=True)
def list_client_downloads(
    request: AnyRequest, clients: ClientDownloads, settings: Settings
) -> list[ClientDownloadResponse]:
    """List the newest client for each system; empty if this server offers none."""
    return [ClientDownloadResponse.of(each) for each in clients.list_all(_address(request, settings))]


@get("/api/v1/client-updates", requires=Caller.ANYBODY, touches_disk=True)
def list_client_updates(clients: ClientDownloads) -> list[ClientUpdateResponse]:
    """List the newest release of the client for each system, with which installed clients replace themselves."""
    return [ClientUpdateResponse.of(each) for each in clients.list_updates()]


@get(
    "/api/v1/client-downloads/{name:str}",
    requires=Caller.ANYBODY,
    raises=[ClientDownloadUnknown, PreconditionFailed, RangeNotSatisfiable, TooManyDownloads, DiskBusy],
    media_type=_OCTETS,
    ranges=True,
)
async def fetch_client(
    request: AnyRequest, name: str, clients: ClientDownloads, settings: Settings, threads: DiskThreads
) -> Response[bytes]:
    """Fetch the client for a system."""
    address = _address(request, settings)
    download = await threads.run(partial(clients.find, name, address))
    headers = {"Cache-Control": "private, no-cache", "Content-Disposition": attachment(download.download_name)}
    found = Representation(download.body, download.sha256, _OCTETS, headers)
    sender = Sender(clients.threads.of(_OWN_THREADS), clients.opener(), lambda _: None)
    try:
        return await sender.respond(request, found, admit=clients.admit)
    except (ContentMismatch, LocationUnavailable, OSError):
        raise ClientDownloadUnknown from None


def _address(request: AnyRequest, settings: Settings) -> str:
    return rules.address_for(
        settings.address, scheme=request.url.scheme, host=request.headers.get("host", ""), path=settings.url_path
    )


ROUTES = (list_client_downloads, list_client_updates, fetch_client)
