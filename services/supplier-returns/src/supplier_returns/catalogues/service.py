"""What the company has set up, as seen by one signed-in user and remembered for some minutes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

import msgspec
import structlog
from attrs import define, evolve, field, frozen
from typing_extensions import override

from erpclient import Caller, ErpClient, ErpError, ErpRefused
from erpclient.odata import ListQuery, quote_string
from servicekit.clock import Clock
from supplier_returns.metadata.comparison import InstalledValue
from supplier_returns.metadata.definitions import Definitions, ValidValue
from supplier_returns.planning.rules.asked_fields import AskedField
from supplier_returns.planning.rules.model import Reason, WarehouseFacts
from supplier_returns.planning.sources import CatalogueReader
from supplier_returns.web.error_map import needing_right

FRESH_FOR_S: Final = 300.0
"""How long an answer is good, unless the user asks for a new one."""

PAGE_ROWS: Final = 500
RETURN_OBJECT: Final = "21"
"""Object type of goods returns (`oPurchaseReturns`)."""

_ADMIN_INFO: Final = "CompanyService_GetAdminInfo"
_SERIES_SERVICE: Final = "SeriesService_GetDocumentSeries"
_YES: Final = "tYES"
_HEADER: Final = "@LIB_ODEV"
_RETURN: Final = "ORPD"

REASON_FIELD: Final = "Motivo"

T = TypeVar("T")
_ValidValues: TypeAlias = Mapping[tuple[str, str], tuple[ValidValue, ...]]
"""By table and name of the field."""

_log = structlog.get_logger(__name__)


@frozen
class Series:
    """A numbering series of returns."""

    number: int
    name: str
    prefix: str
    next_number: int | None
    is_locked: bool
    is_electronic: bool


class _WarehouseRow(msgspec.Struct):
    code: str = msgspec.field(name="WarehouseCode")
    name: str | None = msgspec.field(name="WarehouseName", default=None)
    bins: str | None = msgspec.field(name="EnableBinLocations", default=None)
    inactive: str | None = msgspec.field(name="Inactive", default=None)


class _SeriesRow(msgspec.Struct, kw_only=True):
    """A row of the type `Series`, whose property of that name v2 calls `SeriesProperty` (its $metadata)."""

    v1_number: int | None = msgspec.field(name="Series", default=None)
    v2_number: int | None = msgspec.field(name="SeriesProperty", default=None)
    name: str | None = msgspec.field(name="Name", default=None)
    prefix: str | None = msgspec.field(name="Prefix", default=None)
    next_number: int | None = msgspec.field(name="NextNumber", default=None)
    locked: str | None = msgspec.field(name="Locked", default=None)
    electronic: str | None = msgspec.field(name="IsElectronicCommEnabled", default=None)

    @property
    def number(self) -> int:
        """The series' key.

        Raises:
            msgspec.ValidationError: it has none.
        """
        number = self.v1_number if self.v1_number is not None else self.v2_number
        if number is None:
            raise msgspec.ValidationError("a series without its number")
        return number


class _SeriesList(msgspec.Struct):
    value: list[_SeriesRow]


class _AdminInfo(msgspec.Struct):
    quantity_decimals: int = msgspec.field(name="AccuracyofQuantities")
    price_decimals: object = msgspec.field(name="PriceAccuracy", default=None)


class _Field(msgspec.Struct):
    table: str = msgspec.field(name="TableName")
    name: str = msgspec.field(name="Name")
    values: list[InstalledValue] = msgspec.field(name="ValidValuesMD", default_factory=list)


_Remembered: TypeAlias = dict[str, tuple[float, Any]]
"""What was asked for, by name, each with the time until which it is good."""


@define(eq=False, repr=False)
class CatalogueService:
    """Remembers what the ERP told each session, since users may see different things. One for the process.

    The values of our own object's fields are the same for everybody who may see them, so one session's answer
    serves all.

    Args:
        needed: our definitions, whose values are offered while the ERP has none or does not show them.
        asked: fields of the return that the installation asks of each planning.
        clock: time.
    """

    needed: Definitions
    asked: Sequence[AskedField]
    _clock: Clock
    _company: _Remembered = field(init=False, factory=dict)
    _sessions: WeakKeyDictionary[ErpClient, _Remembered] = field(init=False, factory=WeakKeyDictionary)

    def forget(self, erp: ErpClient) -> None:
        """Ask anew next time."""
        self._sessions.pop(erp, None)
        self._company.clear()

    async def prepare(self, erp: ErpClient, caller: Caller) -> None:
        """Have an answer about valid values that is some minutes old at most; for the moment of signing in.

        An ERP that does not answer now is asked when somebody needs it.
        """
        try:
            await self.values(erp, caller, at_any_age=False)
        except (ErpError, msgspec.DecodeError) as error:
            _log.info("valid_values_unknown", reason=str(error))

    async def values(self, erp: ErpClient, caller: Caller, *, at_any_age: bool) -> _ValidValues:
        """Return what the ERP's own fields and ours may hold; nothing where it does not show them."""
        own = self._sessions.setdefault(erp, {})
        for remembered in (self._company, own):
            found = remembered.get("values")
            if found is not None and (at_any_age or self._clock.monotonic() < found[0]):
                return cast("_ValidValues", found[1])
        values = await _read_valid_values(erp, caller, self.asked)
        keeper = own if values is None else self._company
        keeper["values"] = (self._clock.monotonic() + FRESH_FOR_S, values or {})
        return values or {}

    async def once(self, erp: ErpClient, name: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what a session was told of this in the last minutes, else ask."""
        remembered = self._sessions.setdefault(erp, {})
        found = remembered.get(name)
        now = self._clock.monotonic()
        if found is not None and now < found[0]:
            return cast("T", found[1])
        value = await ask()
        remembered[name] = (now + FRESH_FOR_S, value)
        return value


class Catalogues(CatalogueReader):
    """The catalogues as a signed-in user sees them, for one request.

    Args:
        service: remembers.
        erp: the user's session.
        caller: for whom.
    """

    def __init__(self, service: CatalogueService, erp: ErpClient, caller: Caller) -> None:
        self._service = service
        self._erp = erp
        self._caller = caller

    def forget(self) -> None:
        """Ask anew next time."""
        self._service.forget(self._erp)

    async def warehouses(self) -> Sequence[WarehouseFacts]:
        """Return all warehouses, by code."""
        return await self._service.once(self._erp, "warehouses", self._read_warehouses)

    async def series(self) -> Sequence[Series]:
        """Return the numbering series of returns, by number."""
        return await self._service.once(self._erp, "series", self._read_series)

    async def valid_values(self, name: str, *, at_any_age: bool = False) -> Sequence[ValidValue]:
        """Return the valid values of a field of `LIB_ODEV`, named without `U_`.

        Args:
            name: of the field.
            at_any_age: whether an old answer will do, as it does for a check that the ERP repeats.
        """
        values = await self._service.values(self._erp, self._caller, at_any_age=at_any_age)
        return values.get((_HEADER, name)) or self._service.needed.valid_values(_HEADER, name)

    async def asked_fields(self, *, at_any_age: bool = False) -> Sequence[AskedField]:
        """Return what the installation asks of each planning, with the values that the ERP takes.

        Args:
            at_any_age: as for `valid_values`.
        """
        if not self._service.asked:
            return ()
        known = await self._service.values(self._erp, self._caller, at_any_age=at_any_age)
        return tuple(
            evolve(
                each,
                values={value.value: value.description for value in known.get((_RETURN, each.name[2:]), ())},
            )
            for each in self._service.asked
        )

    @override
    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        """See `CatalogueReader.find_warehouse`."""
        return next((each for each in await self.warehouses() if each.code == whs_code), None)

    @override
    async def read_reasons(self) -> Sequence[Reason]:
        """See `CatalogueReader.read_reasons`."""
        values = await self.valid_values(REASON_FIELD, at_any_age=True)
        return tuple(Reason(value.value, value.description) for value in values)

    @override
    async def read_asked_fields(self) -> Sequence[AskedField]:
        """See `CatalogueReader.read_asked_fields`."""
        return await self.asked_fields(at_any_age=True)

    @override
    async def has_open_series(self, series: int) -> bool:
        """See `CatalogueReader.has_open_series`."""
        return any(each.number == series and not each.is_locked for each in await self.series())

    @override
    async def quantity_decimals(self) -> int:
        """See `CatalogueReader.quantity_decimals`."""
        info = await self._service.once(self._erp, "admin info", self._read_admin_info)
        return min(max(info.quantity_decimals, 0), 6)

    @override
    async def price_decimals(self) -> int | None:
        """See `CatalogueReader.price_decimals`."""
        told = (await self._service.once(self._erp, "admin info", self._read_admin_info)).price_decimals
        return told if isinstance(told, int) else None  # no planning shall fail for it

    async def _read_warehouses(self) -> Sequence[WarehouseFacts]:
        select = ("WarehouseCode", "WarehouseName", "EnableBinLocations", "Inactive")
        found: list[_WarehouseRow] = []
        while True:
            query = ListQuery(select=select, orderby=("WarehouseCode",), top=PAGE_ROWS, skip=len(found))
            with needing_right("Warehouses", task="ver las bodegas"):
                page = await self._erp.list("Warehouses", query, caller=self._caller)
            rows = msgspec.json.decode(page.rows, type=list[_WarehouseRow])
            found += rows
            if not rows or len(found) >= page.count:
                break
        return tuple(
            WarehouseFacts(row.code, row.name or row.code, row.bins == _YES, row.inactive != _YES)
            for row in found
        )

    async def _read_series(self) -> Sequence[Series]:
        body = msgspec.json.encode({"DocumentTypeParams": {"Document": RETURN_OBJECT}})
        with needing_right(_SERIES_SERVICE, task="ver las series de numeración"):
            reply = await self._erp.call_service(_SERIES_SERVICE, body, caller=self._caller)
        rows = msgspec.json.decode(reply.body, type=_SeriesList).value if reply.body else []
        return tuple(
            Series(
                row.number,
                row.name or "",
                row.prefix or "",
                row.next_number,
                is_locked=row.locked == _YES,
                is_electronic=row.electronic == _YES,
            )
            for row in sorted(rows, key=lambda row: row.number)
        )

    async def _read_admin_info(self) -> _AdminInfo:
        with needing_right(_ADMIN_INFO, task="ver los parámetros de la empresa"):
            reply = await self._erp.call_service(_ADMIN_INFO, b"", caller=self._caller)
        return msgspec.json.decode(reply.body, type=_AdminInfo)


async def _read_valid_values(
    erp: ErpClient, caller: Caller, asked: Sequence[AskedField]
) -> _ValidValues | None:
    """Ask for the values of the header's fields and of those asked for; None where this user may see none."""
    names = " or ".join(f"Name eq {quote_string(each.name[2:])}" for each in asked if each.name[:2] == "U_")
    further = f" or (TableName eq '{_RETURN}' and ({names}))" if names else ""
    query = ListQuery(
        select=("TableName", "Name", "ValidValuesMD"),
        filter=f"TableName eq '{_HEADER}'{further}",
        top=PAGE_ROWS,
    )
    try:
        page = await erp.list("UserFieldsMD", query, caller=caller)
    except ErpRefused:
        return None
    fields = msgspec.json.decode(page.rows, type=list[_Field])
    return {
        (each.table, each.name): tuple(
            ValidValue(value.value, value.description or value.value) for value in each.values
        )
        for each in fields
    }
