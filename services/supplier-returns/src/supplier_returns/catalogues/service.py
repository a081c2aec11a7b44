"""What the company has set up, as seen by one signed-in user and remembered for some minutes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

import msgspec
import structlog
from attrs import define, field, frozen

from erpclient import Caller, ErpClient, ErpError, ErpRefused
from erpclient.odata import ListQuery
from servicekit.clock import Clock
from supplier_returns.metadata.definitions import Definitions, ValidValue
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

T = TypeVar("T")
_ValidValues: TypeAlias = Mapping[str, tuple[ValidValue, ...]]

_log = structlog.get_logger(__name__)


@frozen
class Warehouse:
    """A warehouse: whether its stock lies in bins, whether documents may use it."""

    code: str
    name: str
    has_bins: bool
    is_active: bool


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


class _Value(msgspec.Struct):
    value: str = msgspec.field(name="Value")
    description: str | None = msgspec.field(name="Description", default=None)


class _Field(msgspec.Struct):
    name: str = msgspec.field(name="Name")
    values: list[_Value] = msgspec.field(name="ValidValuesMD", default_factory=list)


@define
class _Remembered:
    """What was asked for, by name, each with the time until which it is good."""

    values: dict[str, tuple[float, Any]] = field(factory=dict)


class CatalogueService:
    """Remembers what the ERP told each session, since users may see different things. One for the process.

    The values of our own object's fields are the same for everybody who may see them, so one session's answer
    serves all.

    Args:
        needed: our definitions, whose values are offered while the ERP has none or does not show them.
        clock: time.
    """

    def __init__(self, needed: Definitions, clock: Clock) -> None:
        self._needed = needed
        self._clock = clock
        self._company = _Remembered()
        self._sessions: WeakKeyDictionary[ErpClient, _Remembered] = WeakKeyDictionary()

    def forget(self, erp: ErpClient) -> None:
        """Ask anew next time."""
        self._sessions.pop(erp, None)
        self._company.values.clear()

    async def warehouses(self, erp: ErpClient, caller: Caller) -> Sequence[Warehouse]:
        """Return all warehouses, by code."""
        return await self._once(erp, "warehouses", lambda: _read_warehouses(erp, caller))

    async def series(self, erp: ErpClient, caller: Caller) -> Sequence[Series]:
        """Return the numbering series of returns, by number."""
        return await self._once(erp, "series", lambda: _read_series(erp, caller))

    async def quantity_decimals(self, erp: ErpClient, caller: Caller) -> int:
        """Return how many decimals the ERP keeps for quantities, 0 to 6."""
        return min(max((await self._admin_info(erp, caller)).quantity_decimals, 0), 6)

    async def price_decimals(self, erp: ErpClient, caller: Caller) -> int | None:
        """Return how many decimals the ERP keeps for prices; None where it does not tell."""
        told = (await self._admin_info(erp, caller)).price_decimals
        return told if isinstance(told, int) else None  # no planning shall fail for it

    async def valid_values(
        self, erp: ErpClient, caller: Caller, name: str, *, at_any_age: bool = False
    ) -> Sequence[ValidValue]:
        """Return the valid values of a field of `LIB_ODEV`, named without `U_`.

        Args:
            erp: the signed-in user's session.
            caller: for whom.
            name: of the field.
            at_any_age: whether an old answer will do, as it does for a check that the ERP repeats.
        """
        values = await self._values(erp, caller, at_any_age=at_any_age)
        return values.get(name) or self._needed.valid_values(_HEADER, name)

    async def prepare(self, erp: ErpClient, caller: Caller) -> None:
        """Have an answer about valid values that is some minutes old at most; for the moment of signing in.

        An ERP that does not answer now is asked when somebody needs it.
        """
        try:
            await self._values(erp, caller)
        except (ErpError, msgspec.DecodeError) as error:
            _log.info("valid_values_unknown", reason=str(error))

    async def _values(self, erp: ErpClient, caller: Caller, *, at_any_age: bool = False) -> _ValidValues:
        own = self._sessions.setdefault(erp, _Remembered())
        for remembered in (self._company, own):
            found = remembered.values.get("values")
            if found is not None and (at_any_age or self._clock.monotonic() < found[0]):
                return cast("_ValidValues", found[1])
        values = await _read_valid_values(erp, caller)
        keeper = own if values is None else self._company
        keeper.values["values"] = (self._clock.monotonic() + FRESH_FOR_S, values or {})
        return values or {}

    async def _admin_info(self, erp: ErpClient, caller: Caller) -> _AdminInfo:
        return await self._once(erp, "admin info", lambda: _read_admin_info(erp, caller))

    async def _once(self, erp: ErpClient, name: str, ask: Callable[[], Awaitable[T]]) -> T:
        remembered = self._sessions.setdefault(erp, _Remembered())
        found = remembered.values.get(name)
        now = self._clock.monotonic()
        if found is not None and now < found[0]:
            return cast("T", found[1])
        value = await ask()
        remembered.values[name] = (now + FRESH_FOR_S, value)
        return value


async def _read_warehouses(erp: ErpClient, caller: Caller) -> Sequence[Warehouse]:
    select = ("WarehouseCode", "WarehouseName", "EnableBinLocations", "Inactive")
    found: list[_WarehouseRow] = []
    while True:
        query = ListQuery(select=select, orderby=("WarehouseCode",), top=PAGE_ROWS, skip=len(found))
        with needing_right("Warehouses", task="ver las bodegas"):
            page = await erp.list("Warehouses", query, caller=caller)
        rows = msgspec.json.decode(page.rows, type=list[_WarehouseRow])
        found += rows
        if not rows or len(found) >= page.count:
            break
    return tuple(
        Warehouse(row.code, row.name or row.code, row.bins == _YES, row.inactive != _YES) for row in found
    )


async def _read_series(erp: ErpClient, caller: Caller) -> Sequence[Series]:
    body = msgspec.json.encode({"DocumentTypeParams": {"Document": RETURN_OBJECT}})
    with needing_right(_SERIES_SERVICE, task="ver las series de numeración"):
        reply = await erp.call_service(_SERIES_SERVICE, body, caller=caller)
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


async def _read_admin_info(erp: ErpClient, caller: Caller) -> _AdminInfo:
    with needing_right(_ADMIN_INFO, task="ver los parámetros de la empresa"):
        reply = await erp.call_service(_ADMIN_INFO, b"", caller=caller)
    return msgspec.json.decode(reply.body, type=_AdminInfo)


async def _read_valid_values(erp: ErpClient, caller: Caller) -> _ValidValues | None:
    """Ask for the values of the header's fields; None where this user may not see definitions."""
    query = ListQuery(select=("Name", "ValidValuesMD"), filter=f"TableName eq '{_HEADER}'", top=PAGE_ROWS)
    try:
        page = await erp.list("UserFieldsMD", query, caller=caller)
    except ErpRefused:
        return None
    fields = msgspec.json.decode(page.rows, type=list[_Field])
    return {
        each.name: tuple(ValidValue(value.value, value.description or value.value) for value in each.values)
        for each in fields
    }
