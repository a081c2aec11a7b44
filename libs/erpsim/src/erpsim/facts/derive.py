"""Derives the packaged facts from a `$metadata` export of a Service Layer v1.

    python -m erpsim.facts.derive EXPORT.xml src/erpsim/data/facts.json

The export used is the one of a version 10.0 company that an archived, Apache-2.0 licensed SDK of the vendor
carries (`svcl-client-openfeign/src/main/resources/metadata.xml` of its Service Layer SDK). It predates
feature pack 2011, so three things are added here: entity tags with `DataVersion` on the sets that newer
metadata annotates, the paid amount of documents, and the `SQLQueries` set. That company's own user fields
and objects are replaced by those of the demo.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from erpsim.facts.compact_form import dump_facts
from erpsim.facts.edmx import read_edmx
from erpsim.facts.model import (
    EDM_DATE,
    EDM_DOUBLE,
    EDM_INT32,
    EDM_STRING,
    EntitySetFacts,
    Facts,
    PropertyFacts,
    TypeFacts,
)

DOCUMENT_SETS = (
    "Quotations", "Orders", "DeliveryNotes", "Returns", "ReturnRequest", "DownPayments", "Invoices",
    "CreditNotes", "PurchaseRequests", "PurchaseQuotations", "PurchaseOrders", "PurchaseDeliveryNotes",
    "PurchaseReturns", "GoodsReturnRequest", "PurchaseDownPayments", "PurchaseInvoices",
    "PurchaseCreditNotes", "InventoryGenEntries", "InventoryGenExits", "Drafts", "CorrectionInvoice",
    "CorrectionInvoiceReversal", "CorrectionPurchaseInvoice", "CorrectionPurchaseInvoiceReversal",
)  # fmt: skip
OTHER_SETS = (
    "Items", "BusinessPartners", "Warehouses", "IncomingPayments", "VendorPayments", "JournalEntries",
    "StockTransfers", "ChartOfAccounts", "ItemGroups", "PriceLists", "PaymentTermsTypes",
    "SalesPersons", "Currencies", "VatGroups", "Projects", "ProfitCenters", "Activities",
    "UnitOfMeasurements", "UnitOfMeasurementGroups", "BusinessPartnerGroups", "Banks", "Countries",
    "States", "HouseBankAccounts", "EmployeesInfo", "Users", "UserTablesMD", "UserFieldsMD",
    "UserObjectsMD", "UserKeysMD", "BinLocations", "BusinessPlaces", "Branches", "Departments",
    "ShippingTypes", "Manufacturers", "CustomsGroups", "Territories", "Industries", "Dimensions",
    "DistributionRules", "AdditionalExpenses", "CreditCards", "WarehouseLocations",
    "InventoryTransferRequests", "BatchNumberDetails", "SerialNumberDetails", "SpecialPrices",
    "BarCodes", "Contacts", "Attachments2",
)  # fmt: skip
# Annotated in a v2 metadata of FP 2102 or later: 24 document sets and these four.
TAGGED_SETS = frozenset({*DOCUMENT_SETS, "Activities", "AdditionalExpenses", "Items", "BusinessPartners"})

DATA_VERSION = PropertyFacts("DataVersion", EDM_INT32, writable=False, column="VersionNum")

PAID_AMOUNTS = (
    PropertyFacts("PaidToDate", EDM_DOUBLE, writable=False, column="PaidToDate"),
    PropertyFacts("PaidToDateFC", EDM_DOUBLE, writable=False, column="PaidFC"),
)
"""Of documents; clients of newer builds read them (`$select=DocTotal,PaidToDate`), the export has none."""

SQL_QUERY = TypeFacts(
    "SQLQuery",
    {
        prop.name: prop
        for prop in (
            PropertyFacts("SqlCode", EDM_STRING, nullable=False, column="SqlCode"),
            PropertyFacts("SqlName", EDM_STRING, column="SqlName"),
            PropertyFacts("SqlText", EDM_STRING, column="SqlText"),
            PropertyFacts("ParamList", EDM_STRING, writable=False, column="ParamList"),
            PropertyFacts("CreateDate", EDM_DATE, writable=False, column="CreateDate"),
            PropertyFacts("UpdateDate", EDM_DATE, writable=False, column="UpdateDate"),
        )
    },
    key=("SqlCode",),
    tables=("OSQL",),
)
"""SAP manual 1.29, chapter on SQL queries, and a v2 metadata (feature pack 2011 and later)."""

USER_FIELDS: Mapping[str, tuple[PropertyFacts, ...]] = {
    "EmployeeInfo": (
        PropertyFacts("U_WEB_USER", EDM_STRING, column="U_WEB_USER", user_field=True),
        PropertyFacts("U_WEB_PASS", EDM_STRING, column="U_WEB_PASS", user_field=True),
    ),
    "Item": (PropertyFacts("U_TEMPORADA", EDM_STRING, column="U_TEMPORADA", user_field=True),),
    "BusinessPartner": (PropertyFacts("U_GIRO", EDM_STRING, column="U_GIRO", user_field=True),),
    "Document": (PropertyFacts("U_CANAL", EDM_STRING, column="U_CANAL", user_field=True),),
    "DocumentLine": (PropertyFacts("U_NOTA_BODEGA", EDM_STRING, column="U_NOTA_BODEGA", user_field=True),),
}
"""User fields of the demo's company. Its seeds fill them, and `UserFieldsMD` lists them."""


def derive(export: Facts) -> Facts:
    """Pick the simulated entity sets out of an export and add what it predates."""
    chosen = {name: export.entity_sets[name] for name in [*DOCUMENT_SETS, *OTHER_SETS]}
    services = {
        "Series",
        "DocumentTypeParams",
        "SeriesParams",
        "CompanyInfo",
        "AdminInfo",
        "PathAdmin",
        "B1Session",
    }
    services |= {"ReportLayout", "ReportLayoutParams", "ReportParams", "DefaultReportParams"}
    reached = _reach(export, {each.type.name for each in chosen.values()} | services)
    tagged_types = {each.type.name for name, each in chosen.items() if name in TAGGED_SETS}
    types = {
        name: _derive_type(export.types[name], with_version=name in tagged_types) for name in sorted(reached)
    }
    types[SQL_QUERY.name] = SQL_QUERY
    sets = {
        name: EntitySetFacts(name, types[each.type.name], name in TAGGED_SETS)
        for name, each in chosen.items()
    }
    # Their responses have a tag although they are not annotated (manual 1.29's sample and a live capture).
    sets["SQLQueries"] = EntitySetFacts("SQLQueries", SQL_QUERY, tagged=True)
    used = {prop.type_name for each in types.values() for prop in each.properties.values()}
    others = {name for name, each in export.entity_sets.items() if name not in sets and not each.user_object}
    return Facts(
        entity_sets=sets,
        types=types,
        enums={name: enum for name, enum in export.enums.items() if name in used},
        operations=export.operations,
        other_sets=frozenset(name for name in others if not name.startswith("My ")),
    )


def _derive_type(each: TypeFacts, *, with_version: bool) -> TypeFacts:
    properties = {
        name: prop for name, prop in each.properties.items() if not (prop.user_field or name.startswith("U_"))
    }
    properties |= {prop.name: prop for prop in USER_FIELDS.get(each.name, ())}
    if each.name == "Document":
        properties |= {prop.name: prop for prop in PAID_AMOUNTS}
    if with_version:
        properties[DATA_VERSION.name] = DATA_VERSION
    return attrs.evolve(each, properties=properties)


def _reach(export: Facts, names: Iterable[str]) -> set[str]:
    waiting, reached = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if name in reached or name not in export.types:
            continue
        reached.add(name)
        waiting += [prop.type_name for prop in export.types[name].properties.values()]
    return reached


def main() -> None:
    """Read an export, write the packaged facts."""
    parser = argparse.ArgumentParser(prog="python -m erpsim.facts.derive", description=__doc__)
    parser.add_argument("export", type=Path, help="$metadata export of a Service Layer v1")
    parser.add_argument("target", type=Path, help="where to write the facts (src/erpsim/data/facts.json)")
    arguments = parser.parse_args()
    arguments.target.parent.mkdir(parents=True, exist_ok=True)
    arguments.target.write_bytes(dump_facts(derive(read_edmx(arguments.export))))


if __name__ == "__main__":
    main()
