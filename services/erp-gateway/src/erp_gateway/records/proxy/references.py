"""References in write bodies: which records of other resources a body names.

The ERP copies data of a named record into the written one: an order's line that names a quotation gets its
item, quantity and price. So the caller needs the right to read what a body names. The body alone decides;
the ERP gets no call.

Names are compared without regard to letter case, at any depth, in every resource. The ERP knows no property
outside its `$metadata`, so a name that has the form of a reference (`looks_like_reference`) and is neither
declared nor exempted here comes from an extension's entity set or a newer ERP: it takes an administrator.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import field, frozen

from erp_gateway.records.proxy.object_types import (
    ENTITY_SETS,
    MASTER_DATA,
    NO_TYPE,
    read_object_type,
    read_whole,
)
from erp_gateway.records.proxy.registry import PartnerKind, Resource


def fold_name(name: str) -> str:
    """Return the form in which property names are compared.

    Compatibility forms and case variants become plain letters (the long s becomes `s`, the Kelvin sign `k`),
    which at worst refuses a name that the ERP does not know anyway.
    """
    if name.isascii():
        return name.lower().strip()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()


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
"""All references that are known, whatever resource has them."""

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

_NO_LINE: Final = -1
"""The ERP's number for "no line". Its first line is 0."""

_OWN_KEYS: Final = frozenset(_folded("DocEntry DocNum DocumentNumber"))
"""Names of a record's own key and number."""


def looks_like_reference(name: str) -> bool:
    """Tell whether a property's name has the form of a key of another record."""
    folded = fold_name(name)
    return not folded.startswith(_USER_FIELD) and _SHAPE.fullmatch(folded) is not None


def is_exempt(name: str, within: str, resource: Resource) -> bool:
    """Tell whether a name of this form is none, in the object that a property has (empty: the record)."""
    folded = fold_name(name)
    if folded in EXEMPT:
        return True
    if not within:
        return folded in _OWN_KEYS or folded in {fold_name(each) for each in resource.key_names}
    return (fold_name(within), folded) in EXEMPT_WITHIN


@frozen
class References:
    """What a body names.

    Attributes:
        resources: the entity sets, registered or not.
        is_unreadable: whether the type of one can't be read.
    """

    resources: frozenset[str] = frozenset()
    is_unreadable: bool = False


def references_in(
    body: Mapping[str, Any],
    resource: Resource | None,
    *,
    key: str = "",
    object_types: Mapping[int, str] = ENTITY_SETS,
) -> References:
    """Return what a body names.

    Args:
        body: the parsed body of a write.
        resource: what is written; None for a service action, whose parameters hold keys of what it reads.
        key: of the record; empty where it is new. Rows may repeat it.
        object_types: entity set by object type.
    """
    search = _Search(resource, key, object_types)
    found = frozenset(search.objects(body, ""))
    return References(frozenset(name for name in found if name is not None), None in found)


@frozen
class _Search:
    """One search; its methods yield entity sets, and None where a type can't be read."""

    resource: Resource | None
    key: str
    object_types: Mapping[int, str]

    def objects(self, value: object, within: str) -> Iterator[str | None]:
        """Search a value and all that is inside; `within` is the folded name of its property."""
        if isinstance(value, list):
            for item in value:
                yield from self.objects(item, within)
        elif isinstance(value, Mapping):
            yield from self._properties(value, within)
            for name, inner in value.items():
                if isinstance(inner, list | Mapping):
                    yield from self.objects(inner, fold_name(name))

    def _properties(self, value: Mapping[str, Any], within: str) -> Iterator[str | None]:
        # The same name in two spellings has several values: all count.
        sent: dict[str, list[object]] = {}
        for name, item in value.items():
            sent.setdefault(fold_name(name), []).append(item)
        resource = "" if self.resource is None else self.resource.name
        declared: set[str] = set()
        links = dict.fromkeys(link for name in sent for link in _LINKS_BY_NAME.get(name, ()))
        for link in links:
            if link.applies(resource, within):
                declared.update(link.keys)
                yield from self._link(link, sent)
        if self.resource is not None:
            for name, items in sent.items():
                if name not in declared and any(self._names_another(name, item, within) for item in items):
                    yield None

    def _link(self, link: Link, sent: Mapping[str, list[object]]) -> Iterator[str | None]:
        has_key = any(_is_key(item) for name in link.keys for item in sent.get(name, ()))
        if not link.types:
            if has_key:
                yield from link.targets(None if self.resource is None else self.resource.partner)
            return
        types = [item for name in link.types for item in sent.get(name, ())]
        named = [item for item in types if not _is_no_type(item)]
        for item in named:
            number = read_object_type(item)
            # A type alone counts, too: with the key that the record has it names another one.
            if has_key or number != 0:
                yield from self._object_type(number)
        says_none = types and (not link.keeps_types or all(name in sent for name in link.types))
        if not named and not says_none and (has_key or _names_line_alone(link, sent)):
            yield None

    def _object_type(self, number: int | None) -> Iterator[str | None]:
        if number not in MASTER_DATA:
            yield None if number is None else self.object_types.get(number)

    def _names_another(self, name: str, item: object, within: str) -> bool:
        if self.resource is None or not looks_like_reference(name) or not _is_key(item):
            return False
        repeats_key = name == "docentry" and bool(self.key) and str(read_whole(item)) == self.key
        return not repeats_key and not is_exempt(name, within, self.resource)


_LINKS_BY_NAME: Final[Mapping[str, tuple[Link, ...]]] = {
    name: tuple(link for link in LINKS if name in (*link.keys, *link.types, *link.lines))
    for name in {name for link in LINKS for name in (*link.keys, *link.types, *link.lines)}
}


def _names_line_alone(link: Link, sent: Mapping[str, list[object]]) -> bool:
    """Tell whether an object has a line's number without a key: the record has the key, perhaps.

    Another line of the same record may hold what the first one did not show.
    """
    lines = [item for name in link.lines for item in sent.get(name, ())]
    has_line = any(item not in (None, "") and read_whole(item) != _NO_LINE for item in lines)
    return has_line and not any(name in sent for name in link.keys)


def _is_key(value: object) -> bool:
    """Tell whether a value can be a record's key: neither empty nor -1 or 0, which stand for none."""
    return value not in (None, "") and read_whole(value) not in (NO_TYPE, 0)


def _is_no_type(value: object) -> bool:
    return value is None or value == "" or read_object_type(value) == NO_TYPE
