"""``/api/v1/admin/company``: managing companies."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.companies.errors import CompanyTaken, CompanyUnknown
from playdock.features.companies.schemas import (
    CompanyChanges,
    CompanyCreate,
    CompanyDetails,
    CompanyMerge,
    CompanyPage,
    CompanyQuery,
    CompanyResponse,
)
from playdock.features.companies.service import Companies
from playdock.server.routing import delete, get, patch, post

PATH = "/api/v1/admin/company"
_ONE = f"{PATH}/{{company_id:str}}"
# A description has up to 10,000 characters, each up to 12 bytes in JSON (two \uXXXX escapes), plus the other fields.
_MAX_BYTES = 256 * 1024


@get(PATH, requires=Permission.COMPANY_READ)
def list_companies(query: CompanyQuery, actor: Actor, companies: Companies) -> CompanyPage:
    """List companies by name, with pagination."""
    listing = companies.listing(actor, query)
    return CompanyPage(
        companies=[CompanyResponse.of(company) for company in listing.companies], total=listing.total, next=listing.next
    )


@get(_ONE, requires=Permission.COMPANY_READ, raises=[CompanyUnknown])
def show_company(company_id: str, actor: Actor, companies: Companies) -> CompanyDetails:
    """Return a company with the games it developed and published."""
    return CompanyDetails.with_games(companies.find(actor, company_id))


@post(PATH, requires=Permission.COMPANY_NEW, status=201, raises=[CompanyTaken], max_body_bytes=_MAX_BYTES)
def add_company(data: CompanyCreate, actor: Actor, companies: Companies) -> CompanyDetails:
    """Add a company."""
    return CompanyDetails.with_games(companies.add(actor, data))


@patch(_ONE, requires=Permission.COMPANY_UPDATE, raises=[CompanyUnknown, CompanyTaken], max_body_bytes=_MAX_BYTES)
def change_company(company_id: str, changes: CompanyChanges, actor: Actor, companies: Companies) -> CompanyDetails:
    """Change a company. Omitted fields are unchanged."""
    return CompanyDetails.with_games(companies.change(actor, company_id, changes))


@delete(_ONE, requires=Permission.COMPANY_DELETE, raises=[CompanyUnknown])
def delete_company(company_id: str, actor: Actor, companies: Companies) -> None:
    """Delete a company. Its games are kept."""
    companies.delete(actor, company_id)


@post(f"{_ONE}/merge", requires=(Permission.COMPANY_UPDATE, Permission.COMPANY_DELETE), raises=[CompanyUnknown])
def merge_companies(company_id: str, merge: CompanyMerge, actor: Actor, companies: Companies) -> CompanyDetails:
    """Assign all games of this company to another one, and delete this company. Returns the other company."""
    return CompanyDetails.with_games(companies.merge(actor, company_id, merge.into))


ROUTES = (list_companies, show_company, add_company, change_company, delete_company, merge_companies)
