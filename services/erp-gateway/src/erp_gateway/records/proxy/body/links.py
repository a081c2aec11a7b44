"""Declared references: properties that name a record of another resource.

Names are compared without regard to letter case, at any depth, in every resource. The ERP knows no property
outside its `$metadata`. So a name in the form of a reference (`reference_names`) that is neither
declared nor exempted here comes from an extension's entity set or a newer ERP. Only administrators may write
it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import field, frozen

from erp_gateway.records.proxy.body.names import fold_name
from erp_gateway.records.proxy.declarations.resource import PartnerKind, Resource


def _folded(names: str) -> tuple[str, ...]:
    return tuple(fold_name(name) for name in names.split())


@frozen(kw_only=True)
class Link:
    """Properties of one object that together name another record.

    Attributes:
        keys: names of the properties that hold its key or number.
        types: names of those that hold its object type; empty where `to` says what it is.
        to: the entity sets, where no property has the type; reading takes all of them.
        to_supplier: the same in documents for suppliers, where it differs. Documents for either take both.
        lines: names of those that choose a line of it.
        within: the property whose object or rows have them; None: any.
        outside: properties whose objects or rows have other things under these names.
        resources: the resources that have them; empty: all.
        keeps_types: whether a change of one type leaves the others as they are in the record.
    """

    keys: tuple[str, ...] = field(converter=_folded)
    types: tuple[str, ...] = field(default="", converter=_folded)
    lines: tuple[str, ...] = field(default="", converter=_folded)
    to: tuple[str, ...] = ()
    to_supplier: tuple[str, ...] = ()
    within: str | None = None
    outside: tuple[str, ...] = field(default="", converter=_folded)
    resources: frozenset[str] = frozenset()
    keeps_types: bool = False

    def applies(self, resource: str, within: str) -> bool:
        """Tell whether an object of a resource's body can have it; `within` is the folded property name."""
        return (not self.resources or resource in self.resources) and (
            within not in self.outside if self.within is None else fold_name(self.within) == within
        )

    def targets(self, partner: PartnerKind | None) -> tuple[str, ...]:
        """Return the entity sets of a link without object type."""
        if not self.to_supplier or partner == "customer":
            return self.to
        return self.to_supplier if partner == "supplier" else (*self.to, *self.to_supplier)


_ACTIVITIES: Final = frozenset({"Activities", "Contacts"})

LINKS: Final = (
    Link(
        keys="BaseEntry ActualBaseEntry",
        types="BaseType BaseDocumentType",
        lines="BaseLine ActualBaseLine",
        # Their `BaseType` is a text: gross, net or tax.
        outside="WithholdingTaxLines WithholdingTaxDataCollection WithholdingTaxDataWTXCollection",
    ),
    Link(keys="BaseDocEntry BaseDocumentReference", types="BaseDocType", lines="BaseDocLine"),
    Link(keys="TargetAbsEntry", types="TargetType TargetDocumentType"),
    Link(keys="RelatedEntry", types="RelatedType"),
    # `DocumentReferences` of ERPs newer than the recorded `$metadata`; the second spelling is that of the SDK
    # and of inventory countings.
    Link(
        keys="RefDocEntr ReferencedDocEntry RefDocNum ReferencedDocNumber",
        types="RefObjType ReferencedObjectType",
    ),
    Link(keys="DocEntry", types="InvoiceType", within="PaymentInvoices"),
    Link(keys="DocEntry", types="DocObjType", within="DocsInWTGroupsCollection"),
    # The `BaseObjectType` of discounts says what they are for: items, groups of items, manufacturers.
    Link(keys="OrderEntry", types="BaseObjectType", outside="DiscountGroups"),
    Link(keys="DocEntry DocumentNumber", types="DocumentType", within="ServiceCallInventoryExpenses"),
    Link(keys="DocumentNumber", types="DocumentType", within="SalesOpportunitiesLines"),
    Link(keys="LinkedDocumentNumber", types="LinkedDocumentType"),
    Link(keys="Original", types="OriginalJournal"),
    Link(keys="DocEntry DocNum", types="DocType DocTypeEx", resources=_ACTIVITIES, keeps_types=True),
    Link(keys="ParentObjectId", types="ParentObjectType"),
    Link(
        keys="DocEntry DocInternalID DocNumber",
        to=("DownPayments",),
        to_supplier=("PurchaseDownPayments",),
        within="DownPaymentsToDraw",
    ),
    Link(
        keys="DocEntry DocInternalID",
        to=("DownPayments",),
        to_supplier=("PurchaseDownPayments",),
        within="DownPaymentsToDrawDetails",
    ),
    Link(
        keys="InternalCorrectedDocNum NextCorrectingDocument",
        to=("Invoices",),
        to_supplier=("PurchaseInvoices",),
    ),
    Link(
        keys="AgreementNo BlanketAgreementNumber BlanketAgreement DefaultBlanketAgreementNumber",
        to=("BlanketAgreements",),
    ),
    Link(keys="CheckAbsEntry CheckAbs", to=("ChecksforPayment",)),
    Link(keys="PickListIdNumber", to=("PickLists",)),
    Link(keys="POTargetEntry POTargetNum", to=("PurchaseOrders",)),
    Link(keys="ProductionOrderOriginEntry ProductionOrderOriginNumber BaseAbsEntry", to=("Orders",)),
    Link(keys="StgEntry", to=("ProjectManagements",)),
    Link(keys="PreviousActivity BelongedSeriesNum", to=("Activities",)),
    Link(keys="SalesOpportunityId", to=("SalesOpportunities",)),
    Link(keys="CampaignNumber", to=("Campaigns",)),
    Link(keys="DraftEntry", to=("Drafts",)),
)
"""All declared links."""

_SHAPE: Final = re.compile(
    r".*(entry|entr|docnum|docnumber|documentnumber|absid|abs|internalid|agreement|agreementno"
    r"|agreementnumber|objectid|transid)"
)
_USER_FIELD: Final = "u_"

EXEMPT: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        _folded(
            "UoMEntry UoMGroupEntry InventoryUoMEntry DefaultCountingUoMEntry DefaultPurchasingUoMEntry "
            "DefaultSalesUoMEntry PackageTypeEntry BinAbsEntry BinEntry HSNEntry MainHSNEntry SACEntry "
            "DNFEntry ServiceCategoryEntry PaymentBlockEntry"
        ),
        "master data",
    ),
    **dict.fromkeys(
        _folded(
            "AbsEntry AbsId AbsoluteEntry DocumentEntry ContactEmployeeAbsEntry WTAbsEntry WTAbsId WhtAbsId"
        ),
        "the key of the row itself, or of the row above it",
    ),
    **dict.fromkeys(
        _folded("EDocNum FiscalDocNum ExternalCorrectedDocNum ExtDocNum ExternalReferencedDocNumber"),
        "a number outside the ERP",
    ),
    "datevfirstdataentry": "yes or no",
}
"""Names that have the form of a reference and are none in any object, with the reason."""

EXEMPT_WITHIN: Final[Mapping[tuple[str, str], str]] = {
    **{
        (within, "docentry"): "the key of the record itself"
        for within in _folded(
            "DocumentLines StockTransferLines TaxExtension StockTransferTaxExtension AddressExtension "
            "EWayBillDetails GeneratedAssets LineTaxJurisdictions LineExpenseTaxJurisdictions "
            "DocExpenseTaxJurisdictions DocumentReferences"
        )
    },
    ("discountgroups", "objectentry"): "master data",
}
"""The same in the objects of one property, by its name and theirs."""

_OWN_KEYS: Final = frozenset(_folded("DocEntry DocNum DocumentNumber"))
"""Names of a record's own key and number."""


def reference_names(names: Iterable[str]) -> list[str]:
    """Return the folded property names that have the form of a key of another record."""
    return [name for name in names if not name.startswith(_USER_FIELD) and _SHAPE.fullmatch(name)]


def is_exempt(name: str, within: str, resource: Resource) -> bool:
    """Return whether a name of this form is no reference.

    Args:
        name: the folded name.
        within: the folded name of the property that holds its object; empty for the record itself.
        resource: the written resource.
    """
    if name in EXEMPT:
        return True
    if not within:
        return name in _OWN_KEYS or name in {fold_name(each) for each in resource.key_names}
    return (within, name) in EXEMPT_WITHIN
