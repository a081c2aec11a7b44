"""Which records a code stands for, and what helps to choose one: declared, so that nobody has to guess."""

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from erp_gateway.proxy.registry import PartnerKind


@frozen(kw_only=True)
class Lookup:
    """Where the values of a field are the keys of records.

    Attributes:
        resource: whose records.
        filter: which of them may be chosen, as `$filter` takes it; None: any.
        shows: what helps to choose, its name first.
    """

    resource: str
    filter: str | None
    shows: tuple[str, ...]


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
"""By the field's name: it stands for the same in every resource, except where it is the record's own key."""

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
"""What may be chosen in a document by whom it is made with."""
