"""``/api/v1/admin/company``: companies as administrators see and change them."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.companies.errors import CompanyTaken, CompanyUnknown
from playdock.features.companies.schemas import (
    CompanyAnswer,
    CompanyChanges,
    CompanyDetails,
    CompanyDraft,
    CompanyMerge,
    CompanyPage,
    CompanyQuery,
)
from playdock.features.companies.service import Companies
from playdock.http.routing import delete, get, patch, post

PATH = "/api/v1/admin/company"
_ONE = f"{PATH}/{{company_id:str}}"
# A description of 10,000 characters, each written as two escapes in JSON, and all the rest.
_MOST_BYTES = 256 * 1024


@get(PATH, needs=Acl.COMPANY_READ)
def list_companies(wanted: CompanyQuery, actor: Actor, companies: Companies) -> CompanyPage:
    """List the companies by name, page by page."""
    found = companies.listing(actor, wanted)
    return CompanyPage(
        companies=[CompanyAnswer.of(each) for each in found.companies], total=found.total, next=found.next
    )


@get(_ONE, needs=Acl.COMPANY_READ, raises=[CompanyUnknown])
def show_company(company_id: str, actor: Actor, companies: Companies) -> CompanyDetails:
    """Show a company with the games that it made and published."""
    return CompanyDetails.with_games(companies.find(actor, company_id))


@post(PATH, needs=Acl.COMPANY_NEW, status=201, raises=[CompanyTaken], most_bytes=_MOST_BYTES)
def add_company(draft: CompanyDraft, actor: Actor, companies: Companies) -> CompanyDetails:
    """Add a company."""
    return CompanyDetails.with_games(companies.add(actor, draft))


@patch(_ONE, needs=Acl.COMPANY_UPDATE, raises=[CompanyUnknown, CompanyTaken], most_bytes=_MOST_BYTES)
def change_company(company_id: str, changes: CompanyChanges, actor: Actor, companies: Companies) -> CompanyDetails:
    """Change a company; what is left out stays."""
    return CompanyDetails.with_games(companies.change(actor, company_id, changes))


@delete(_ONE, needs=Acl.COMPANY_DELETE, raises=[CompanyUnknown])
def delete_company(company_id: str, actor: Actor, companies: Companies) -> None:
    """Delete a company; its games stay."""
    companies.delete(actor, company_id)


@post(f"{_ONE}/merge", needs=(Acl.COMPANY_UPDATE, Acl.COMPANY_DELETE), raises=[CompanyUnknown])
def merge_companies(company_id: str, merge: CompanyMerge, actor: Actor, companies: Companies) -> CompanyDetails:
    """Give all games of this company to another one, and delete this one."""
    return CompanyDetails.with_games(companies.merge(actor, company_id, merge.into))


ROUTES = (list_companies, show_company, add_company, change_company, delete_company, merge_companies)
