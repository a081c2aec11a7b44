"""Meanings of the ERP's fields: lookups of the records whose keys they hold, and currencies and units.

The declarations use the fields' names, which mean the same in every resource.
"""

from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Final

import attrs

from erp_gateway.records.proxy.declarations.columns import Column, Lookup
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import PartnerKind, Resource, key_parts
from erp_gateway.values.measures import Measure

_WAREHOUSE: Final = Lookup(resource="Warehouses", filter=None, shows=("WarehouseName",))
_TERMS: Final = Lookup(resource="PaymentTermsTypes", filter=None, shows=("PaymentTermsGroupName",))
_PRICE_LIST: Final = Lookup(resource="PriceLists", filter=None, shows=("PriceListName",))
_CURRENCY: Final = Lookup(resource="Currencies", filter=None, shows=("Name",))
_SHIPPING: Final = Lookup(resource="ShippingTypes", filter=None, shows=("Name",))
_PROJECT: Final = Lookup(resource="Projects", filter=None, shows=("Name",))
_RULE: Final = Lookup(resource="DistributionRules", filter=None, shows=("FactorDescription",))
_PARTNER: Final = ("CardName", "PriceListNum", "Currency")
_ITEM: Final = ("ItemName", "QuantityOnStock", "InventoryUOM", "ItemPrices")

LOOKUPS: Final[Mapping[str, Lookup]] = {
    "CardCode": Lookup(resource="BusinessPartners", filter=None, shows=_PARTNER),
    "Mainsupplier": Lookup(resource="BusinessPartners", filter="CardType eq 'cSupplier'", shows=_PARTNER),
    "ItemCode": Lookup(resource="Items", filter=None, shows=_ITEM),
    "WarehouseCode": _WAREHOUSE,
    "FromWarehouseCode": _WAREHOUSE,
    "FromWarehouse": _WAREHOUSE,
    "ToWarehouse": _WAREHOUSE,
    "DefaultWarehouse": _WAREHOUSE,
    "SalesPersonCode": Lookup(resource="SalesPersons", filter=None, shows=("SalesEmployeeName",)),
    "PaymentGroupCode": _TERMS,
    "PayTermsGrpCode": _TERMS,
    "PriceListNum": _PRICE_LIST,
    "PriceList": _PRICE_LIST,
    "ItemsGroupCode": Lookup(resource="ItemGroups", filter=None, shows=("GroupName",)),
    "Manufacturer": Lookup(resource="Manufacturers", filter=None, shows=("ManufacturerName",)),
    "Currency": _CURRENCY,
    "DocCurrency": _CURRENCY,
    "TransportationCode": _SHIPPING,
    "ShippingType": _SHIPPING,
    "Project": _PROJECT,
    "ProjectCode": _PROJECT,
    "CostingCode": _RULE,
    "CostingCode2": _RULE,
    "CostingCode3": _RULE,
    "CostingCode4": _RULE,
    "CostingCode5": _RULE,
    "VatGroup": Lookup(resource="VatGroups", filter=None, shows=("Name",)),
    "AccountCode": Lookup(resource="ChartOfAccounts", filter=None, shows=("Name",)),
    "Territory": Lookup(resource="Territories", filter=None, shows=("Description",)),
    "Industry": Lookup(resource="Industries", filter=None, shows=("IndustryName",)),
    "Country": Lookup(resource="Countries", filter=None, shows=("Name",)),
}
"""By the field's name. A field has no lookup if it is the record's own key."""

OF_DOCUMENTS: Final[Mapping[PartnerKind, Mapping[str, Lookup]]] = {
    "customer": {
        "CardCode": Lookup(resource="BusinessPartners", filter="CardType eq 'cCustomer'", shows=_PARTNER),
        "ItemCode": Lookup(resource="Items", filter="SalesItem eq 'tYES'", shows=_ITEM),
    },
    "supplier": {
        "CardCode": Lookup(resource="BusinessPartners", filter="CardType eq 'cSupplier'", shows=_PARTNER),
        "ItemCode": Lookup(resource="Items", filter="PurchaseItem eq 'tYES'", shows=_ITEM),
    },
}
"""Lookups that depend on the kind of partner of a document."""


_LOCAL: Final = Measure(kind="amount")
_LOCAL_PRICE: Final = Measure(kind="amount", adds=False)
_ROW_PRICE: Final = Measure(kind="amount", by="Currency", adds=False)
_DOCUMENT: Final = Measure(kind="amount", by="DocCurrency")
_ROW: Final = Measure(kind="amount", by="Currency")
_SOLD: Final = Measure(kind="quantity", by="MeasureUnit")
_STORED: Final = Measure(kind="quantity", by="InventoryUOM")

MEASURES: Final[Mapping[str, Measure]] = {
    # documents: in local money, beside them those of documents in another currency
    **dict.fromkeys(("DocTotal", "VatSum", "TotalDiscount", "DownPaymentAmount"), _LOCAL),
    **dict.fromkeys(("PaidToDate", "RoundingDiffAmount", "WTApplied", "WTAmount"), _LOCAL),
    **dict.fromkeys(("DocTotalFc", "VatSumFc", "TotalDiscountFC", "DownPaymentAmountFC"), _DOCUMENT),
    **dict.fromkeys(("PaidToDateFC", "RoundingDiffAmountFC", "WTAppliedFC", "WTAmountFC"), _DOCUMENT),
    # instalments and freight of documents
    **dict.fromkeys(("TotalFC", "LineTotalFC", "TaxSumFC", "TaxTotalSumFC"), _DOCUMENT),
    **dict.fromkeys(("TaxSum", "TaxTotalSum"), _LOCAL),
    # payments, and what of each document they pay
    **dict.fromkeys(("CashSum", "TransferSum", "CheckSum", "BillOfExchangeAmount"), _LOCAL),
    **dict.fromkeys(("BankChargeAmount", "UnderOverpaymentdifference", "SumApplied"), _LOCAL),
    **dict.fromkeys(("CashSumFC", "BillOfExchangeAmountFC", "BankChargeAmountInFC"), _DOCUMENT),
    **dict.fromkeys(("UnderOverpaymentdiffFC", "AppliedFC"), _DOCUMENT),
    # lines: totals are in local money, prices in the currency that they were agreed in
    **dict.fromkeys(("LineTotal", "TaxTotal", "NetTaxAmount", "GrossTotal", "OpenAmount"), _LOCAL),
    **dict.fromkeys(("RowTotalFC", "NetTaxAmountFC", "GrossTotalFC", "OpenAmountFC"), _ROW),
    "GrossProfit": _LOCAL,
    "GrossProfitFC": _ROW,
    **dict.fromkeys(("Price", "UnitPrice", "PriceAfterVAT", "GrossPrice"), _ROW_PRICE),
    **dict.fromkeys(("Quantity", "RemainingOpenQuantity"), _SOLD),
    # journal entries
    **dict.fromkeys(("Debit", "Credit"), _LOCAL),
    **dict.fromkeys(("FCDebit", "FCCredit"), Measure(kind="amount", by="FCCurrency")),
    # items, and what of one lies in each warehouse
    **dict.fromkeys(("QuantityOnStock", "QuantityOrderedByCustomers", "QuantityOrderedFromVendors"), _STORED),
    **dict.fromkeys(("InStock", "Committed", "Ordered"), _STORED),
    # partners and accounts, which have others' balances in their own
    **dict.fromkeys(("CurrentAccountBalance", "OpenDeliveryNotesBalance", "OpenOrdersBalance"), _LOCAL),
    "Balance": _LOCAL_PRICE,
    "Balance_FrgnCurr": Measure(kind="amount", by="AcctCurrency", adds=False),
    **dict.fromkeys(("CreditLimit", "MaxCommitment"), _LOCAL_PRICE),
    # costs of items
    **dict.fromkeys(("MovingAveragePrice", "AvgStdPrice", "StandardAveragePrice"), _LOCAL_PRICE),
    "AdditionalPrice1": Measure(kind="amount", by="AdditionalCurrency1", adds=False),
    "AdditionalPrice2": Measure(kind="amount", by="AdditionalCurrency2", adds=False),
}
"""By the field's name. A measure applies only if the field with its currency or unit is present."""


def lookups_of(resource: Resource) -> dict[str, Lookup]:
    """Return the lookups of a resource and its rows by field, without that of its own key."""
    own_key = [part.name for part in key_parts(resource.key)]
    lookups = {**LOOKUPS, **(OF_DOCUMENTS[resource.partner] if resource.partner else {})}
    return {name: each for name, each in lookups.items() if [name] != own_key}


def measure_of(name: str, at_hand: Container[str]) -> Measure | None:
    """Return the measure of a field's numbers.

    Args:
        name: the field.
        at_hand: names of the fields beside it, and of the record around them.
    """
    measure = MEASURES.get(name)
    return measure if measure is None or measure.by is None or measure.by in at_hand else None


@lru_cache(maxsize=512)
def with_meanings(resource: Resource) -> tuple[Column, ...]:
    """Return the columns of a resource, completed with lookups and measures that they don't declare."""
    lookups = lookups_of(resource)
    names = {column.name for column in resource.columns}
    return tuple(
        attrs.evolve(
            column,
            lookup=column.lookup or lookups.get(column.name),
            measure=column.measure or (measure_of(column.name, names) if column.type == "number" else None),
        )
        for column in resource.columns
    )


def needed_routes(resource: Resource, registry: Registry) -> tuple[str, ...]:
    """Return the menu routes of the records whose keys its columns hold, without its own."""
    lookups = lookups_of(resource)
    names = {lookups[column.name].resource for column in resource.columns if column.name in lookups}
    targets = (registry.find(name) for name in names)
    menus = {target.resource.read_menu for target in targets if target is not None}
    return tuple(sorted(menu for menu in menus if menu is not None and menu != resource.read_menu))
