"""The ERP's employees (`EmployeesInfo`) as a directory of web users."""

from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, Protocol, TypeVar

import msgspec
import structlog
from attrs import frozen

from erp_gateway.people.auth.employee_choice import Candidates, Employee
from erp_gateway.people.auth.errors import EmployeeLookupRefused
from erp_gateway.values.web_user import WebUser
from erpclient import Caller, ErpList, ErpRefused, ErpReplyUnreadable
from erpclient.odata import ListQuery, quote_string
from servicekit.config import Secret

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class Person:
    """An employee with a web user in the ERP."""

    web_user: str
    full_name: str
    active: bool


@frozen(kw_only=True)
class People:
    """The ERP's web users.

    Attributes:
        items: sorted by name.
        complete: False if the list was cut at `MOST_PEOPLE`.
    """

    items: Sequence[Person]
    complete: bool = True

    def list_active(self) -> dict[str, bool]:
        """Map each name to whether exactly one active employee has it, which a sign-in needs."""
        counts = Counter(person.web_user for person in self.items if person.active)
        return {person.web_user: counts[person.web_user] == 1 for person in self.items}


RESOURCE: Final = "EmployeesInfo"

_SELECT: Final = ("EmployeeID", "FirstName", "LastName", "eMail", "Active", "U_WEB_USER", "U_WEB_PASS")
_SELECT_PERSON: Final = ("FirstName", "LastName", "Active", "U_WEB_USER")
_PAGE: Final = 500
MOST_PEOPLE: Final = 5_000
"""Limit of the list of web users."""

# The filter may match several names: depending on its collation, the ERP's database ignores letter case.
_MAX_MATCHES: Final = 50


class ErpReader(Protocol):
    """The one method of `erpclient.ErpClient` that the directory uses."""

    async def list(
        self, resource: str, query: ListQuery, *, caller: Caller, case_insensitive: bool = True
    ) -> ErpList:
        """Read one page of records."""
        ...


class _PersonRow(msgspec.Struct, kw_only=True):
    web_user: str | None = msgspec.field(name="U_WEB_USER")
    active: str | None = msgspec.field(name="Active", default=None)
    first_name: str | None = msgspec.field(name="FirstName", default=None)
    last_name: str | None = msgspec.field(name="LastName", default=None)


class _Row(_PersonRow, kw_only=True):
    """The selected fields of an employee; the password becomes a `Secret` as soon as it is read."""

    employee_id: int = msgspec.field(name="EmployeeID")
    password: str | None = msgspec.field(name="U_WEB_PASS")
    email: str | None = msgspec.field(name="eMail", default=None)


RowT = TypeVar("RowT", bound=_PersonRow)

_ROWS: Final = msgspec.json.Decoder(list[_Row])
_PEOPLE: Final = msgspec.json.Decoder(list[_PersonRow])


class EmployeeDirectory:
    """Looks web users up in the ERP.

    Only the name goes into the filter, as one escaped literal. The password is compared in this process and
    never sent. An employee record also holds salary and address, so only the needed fields are selected.
    """

    def __init__(self, erp: ErpReader) -> None:
        self._erp = erp

    async def find(self, web_user: str, caller: Caller) -> Candidates:
        """Return the employees whose web user equals `web_user`, possibly ignoring case and trailing blanks.

        Raises:
            ErpError: the request failed, or the ERP is busy.
            EmployeeLookupRefused: the ERP refused the request.
        """
        query = ListQuery(select=_SELECT, filter=f"U_WEB_USER eq {quote_string(web_user)}", top=_MAX_MATCHES)
        rows, count = await self._fetch(query, _ROWS, caller)
        return Candidates(employees=tuple(_read(row) for row in rows), complete=count <= len(rows))

    async def list_people(self, caller: Caller) -> People:
        """Return the employees with a web user, sorted by its name; at most `MOST_PEOPLE`.

        Raises:
            ErpError: the request failed, or the ERP is busy.
            EmployeeLookupRefused: the ERP refused the request.
        """
        people: list[_PersonRow] = []
        while True:
            query = ListQuery(
                select=_SELECT_PERSON,
                filter="U_WEB_USER ne null",
                orderby=("EmployeeID asc",),
                top=_PAGE,
                skip=len(people),
            )
            rows, count = await self._fetch(query, _PEOPLE, caller)
            people += rows
            if not rows or len(people) >= min(count, MOST_PEOPLE):
                break
        persons = (
            Person(
                web_user=row.web_user,
                full_name=f"{row.first_name or ''} {row.last_name or ''}".strip(),
                active=row.active == "tYES",
            )
            for row in people
            if row.web_user
        )
        return People(
            items=sorted(persons, key=lambda person: person.web_user), complete=count <= len(people)
        )

    async def _fetch(
        self, query: ListQuery, decoder: msgspec.json.Decoder[list[RowT]], caller: Caller
    ) -> tuple[list[RowT], int]:
        try:
            page = await self._erp.list(RESOURCE, query, caller=caller, case_insensitive=False)
        except ErpRefused as error:
            if error.status == HTTPStatus.TOO_MANY_REQUESTS:
                raise  # the ERP is busy; this says nothing about rights or fields
            _log.error(
                "employee_lookup_refused",
                status=error.status,
                code=error.code,
                text=error.text,
                hint="U_WEB_USER and U_WEB_PASS must be user fields of employees that the ERP user may read",
            )
            raise EmployeeLookupRefused from error
        try:
            return decoder.decode(page.rows), page.count
        except msgspec.MsgspecError:
            # Not chained: the decoder's message can quote a part of a row.
            raise ErpReplyUnreadable("employees lack the fields that were asked for") from None


def _read(row: _Row) -> Employee:
    return Employee(
        user=WebUser(
            name=row.web_user or "",
            employee_id=row.employee_id,
            first_name=row.first_name or "",
            last_name=row.last_name or "",
            email=row.email or "",
        ),
        stored_password=Secret(row.password or ""),
        active=row.active == "tYES",
    )
