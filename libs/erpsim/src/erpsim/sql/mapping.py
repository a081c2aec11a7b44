"""Mapping of the company's rows to database tables, as one declaration.

The metadata of a real company names the column of every property. This mapping only lists what the metadata
lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from erpsim.business.documents.base_documents import LINES
from erpsim.business.layout_catalogue import REPORT_LAYOUTS
from erpsim.business.stock import BATCHES, SERIALS, WAREHOUSES
from erpsim.facts.document_kinds import DRAFTS, KINDS
from erpsim.facts.model import EDM_DOUBLE, EDM_INT32, EDM_STRING, Facts

_DOCUMENT_LINE_HEAD: Final = {
    "ObjType": "DocObjectCode",
    "DocDate": "DocDate",
    "BaseCard": "CardCode",
}
_PASSWORD: Final = re.compile(r"PASS|PWD|CLAVE", re.IGNORECASE)


_DISTRIBUTED: Final = {
    "AbsEntry": ("AbsEntry", EDM_INT32),
    "ItemCode": ("ItemCode", EDM_STRING),
    "SysNumber": ("SystemNumber", EDM_INT32),
    "WhsCode": ("WarehouseCode", EDM_STRING),
    "Quantity": ("Quantity", EDM_DOUBLE),
    "MdAbsEntry": ("DocEntry", EDM_INT32),
}


@attrs.frozen(kw_only=True)
class TableSource:
    """Source of the rows of one table.

    Args:
        table: its name.
        set_name: entity set, or a table of the simulator that no entity set shows (`$Series`).
        type_name: type of the entities, for those tables; the set's own when None.
        path: the collections that lead from an entity to the rows; empty for the entities themselves.
        inherited: columns of the entity that its rows repeat, by property.
        extra: columns of properties without a column in the metadata, with their primitive type.
        preferred: the property of a column that several properties claim.
        number: column that counts the rows of a collection from 0.
        secret: whether columns that look like passwords are left out.
    """

    table: str
    set_name: str
    type_name: str | None = None
    path: tuple[str, ...] = ()
    inherited: Mapping[str, str] = attrs.field(factory=dict)
    extra: Mapping[str, tuple[str, str]] = attrs.field(factory=dict)
    preferred: Mapping[str, str] = attrs.field(factory=dict)
    number: str | None = None
    secret: bool = False

    def shows(self, column: str) -> bool:
        """Return whether a column is shown. Passwords of users and employees are not."""
        return not (self.secret and _PASSWORD.search(column))


def _document_tables(set_name: str, header: str) -> tuple[TableSource, ...]:
    line = f"{header[1:]}1"
    inherited = {"DocEntry": "DocEntry", **_DOCUMENT_LINE_HEAD}
    return (
        TableSource(
            table=header,
            set_name=set_name,
            preferred={"CANCELED": "CancelStatus"},
        ),
        TableSource(table=line, set_name=set_name, path=(LINES,), inherited=inherited),
    )


_STANDARD: Final = (
    TableSource(table="OITM", set_name="Items"),
    TableSource(table="OITW", set_name="Items", path=(WAREHOUSES,), inherited={"ItemCode": "ItemCode"}),
    TableSource(table="ITM1", set_name="Items", path=("ItemPrices",), inherited={"ItemCode": "ItemCode"}),
    TableSource(table="OITB", set_name="ItemGroups"),
    TableSource(table="OWHS", set_name="Warehouses"),
    TableSource(table="OPLN", set_name="PriceLists"),
    TableSource(table="OCRD", set_name="BusinessPartners"),
    TableSource(
        table="CRD1", set_name="BusinessPartners", path=("BPAddresses",), inherited={"CardCode": "CardCode"}
    ),
    *(each for kind in KINDS.values() for each in _document_tables(kind.set_name, kind.table)),
    *_document_tables(DRAFTS, "ODRF"),
    *_document_tables("DownPayments", "ODPI"),
    *_document_tables("PurchaseDownPayments", "ODPO"),
    TableSource(table="OJDT", set_name="JournalEntries"),
    TableSource(
        table="JDT1", set_name="JournalEntries", path=("JournalEntryLines",), inherited={"TransId": "JdtNum"}
    ),
    TableSource(table="ORCT", set_name="IncomingPayments"),
    TableSource(
        table="RCT2", set_name="IncomingPayments", path=("PaymentInvoices",), inherited={"DocNum": "DocEntry"}
    ),
    TableSource(table="OVPM", set_name="VendorPayments"),
    TableSource(
        table="VPM2", set_name="VendorPayments", path=("PaymentInvoices",), inherited={"DocNum": "DocEntry"}
    ),
    TableSource(table="OACT", set_name="ChartOfAccounts"),
    TableSource(table="OVTG", set_name="VatGroups"),
    TableSource(table="OCRN", set_name="Currencies"),
    TableSource(table="OBPL", set_name="BusinessPlaces"),
    TableSource(table="OSLP", set_name="SalesPersons"),
    TableSource(table="OUSR", set_name="Users", secret=True),
    TableSource(table="OHEM", set_name="EmployeesInfo", secret=True),
    TableSource(table="NNM1", set_name="$Series", type_name="Series"),
    TableSource(table="OUTB", set_name="UserTablesMD"),
    TableSource(table="OUDO", set_name="UserObjectsMD"),
    TableSource(table="CUFD", set_name="UserFieldsMD"),
    TableSource(
        table="UFD1",
        set_name="UserFieldsMD",
        path=("ValidValuesMD",),
        inherited={"TableID": "TableName", "FieldID": "FieldID"},
        number="IndexID",
    ),
    TableSource(table="OSQL", set_name="SQLQueries"),
    TableSource(
        table="RDOC",
        set_name=REPORT_LAYOUTS,
        type_name="ReportLayout",
        extra={"Status": ("Status", EDM_STRING)},
    ),
    TableSource(table="OBIN", set_name="BinLocations"),
    TableSource(table="OBTN", set_name="BatchNumberDetails"),
    TableSource(table="OSRN", set_name="SerialNumberDetails"),
    TableSource(table="OBTQ", set_name=BATCHES, extra=_DISTRIBUTED),
    TableSource(table="OSRQ", set_name=SERIALS, extra=_DISTRIBUTED),
)


def table_sources(facts: Facts) -> tuple[TableSource, ...]:
    """Return the sources of all tables: the standard ones and the customer's own (`@...`)."""
    return _STANDARD + tuple(_user_tables(facts))


def _user_tables(facts: Facts) -> Iterator[TableSource]:
    for name, entity_set in facts.entity_sets.items():
        for table in entity_set.type.tables:
            if table.startswith("@"):
                yield TableSource(table=table, set_name=name)
                key = {each: each for each in entity_set.type.key}
                for prop in entity_set.type.properties.values():
                    nested = facts.types.get(prop.type_name) if prop.collection else None
                    for child in nested.tables if nested is not None else ():
                        yield TableSource(table=child, set_name=name, path=(prop.name,), inherited=key)
