# ruff: noqa: E501 - one case a line
"""What the bodies of writes name, and the ERP's metadata against what is declared."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from erp_gateway.records.proxy.body.links import LINKS, is_exempt, reference_names
from erp_gateway.records.proxy.body.names import fold_name
from erp_gateway.records.proxy.body.references import References, references_in
from erp_gateway.records.proxy.declarations.object_types import ENTITY_SETS, NO_TYPE, read_object_type
from erp_gateway.records.proxy.declarations.resource import READ_WRITE, Resource
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpclient.odata import IntKey, StrKey
from erpsim.facts import TypeFacts, load_packaged_facts
from servicekit.endpoint import parse_json

BY_NAME = {each.name: each for each in DEFAULT_RESOURCES}
ORDERS, DRAFTS, ACTIVITIES = BY_NAME["Orders"], BY_NAME["Drafts"], BY_NAME["Activities"]


def named(body: Any, resource: str | Resource | None = "Orders", key: str = "") -> set[str | None]:
    """Return the entity sets that a body names, with None for what can't be read."""
    target = BY_NAME[resource] if isinstance(resource, str) else resource
    value = parse_json(body if isinstance(body, bytes) else json.dumps(body).encode())
    found = references_in(value, target, key=key)
    return {*found.resources, *([None] if found.is_unreadable else [])}


def line(**row: object) -> dict[str, Any]:
    return {"DocumentLines": [{"LineNum": 0}, row]}


@pytest.mark.parametrize(
    "base_type",
    [
        "23",
        '"23"',
        "23.0",
        '" 23 "',
        '"+23"',
        '"23.0"',
        "2.3e1",
        '"oQuotations"',
        '"oquotations"',
        '"rot_SalesQuotation"',
    ],
)
def test_an_object_type_is_read_in_every_form(base_type: str) -> None:
    body = f'{{"DocumentLines": [{{"BaseType": {base_type}, "BaseEntry": 4}}]}}'.encode()
    assert named(body) == {"Quotations"}


@pytest.mark.parametrize("base_type", [-1, None, "-1", "", -1.0, "Default"])
def test_no_object_type_is_no_reference(base_type: object) -> None:
    assert named(line(BaseType=base_type, BaseEntry=4)) == set()
    assert named(line(BaseType=base_type)) == set()


@pytest.mark.parametrize(
    "base_type",
    [True, [23], {"a": 1}, "abc", 23.5, "23,0", 10**30, "1" * 40, 0, 9999, -2, "1e999999", "23x"],
)
def test_an_unreadable_or_unknown_base_type_requires_an_administrator(base_type: object) -> None:
    assert named(line(BaseType=base_type, BaseEntry=4)) == {None}


def test_a_base_key_without_a_type_requires_an_administrator() -> None:
    assert named(line(BaseEntry=4)) == {None}
    assert named(line(ActualBaseEntry="4")) == {None}


def test_a_base_type_alone_is_a_reference_to_that_resource() -> None:
    assert named(line(LineNum=0, BaseType=22), key="1") == {"PurchaseOrders"}


@pytest.mark.parametrize(
    "base_type",
    ["22.00000000000000000000001", f'"22.{"0" * 24}"', '"2.2e1"', '"0x16"', "[22]", "true", '"abc"'],
)
def test_an_unreadable_type_alone_requires_an_administrator(base_type: str) -> None:
    # As a double, the first one is 22.
    body = f'{{"DocumentLines": [{{"LineNum": 0, "BaseType": {base_type}}}]}}'.encode()
    assert named(body, key="1") == {None}


@pytest.mark.parametrize(
    ("resource", "rows"),
    [
        ("Orders", {"DocumentLines": [{"LineNum": 0, "BaseLine": 1}]}),
        ("Orders", {"DocumentLines": [{"LineNum": 0, "baseline": "0"}]}),
        ("Orders", {"DocumentLines": [{"LineNum": 0, "ActualBaseLine": 0}]}),
        ("StockTransfers", {"StockTransferLines": [{"LineNum": 0, "BaseLine": 1.5}]}),
        ("Orders", {"DocumentAdditionalExpenses": [{"LineNum": 0, "BaseDocLine": 1}]}),
    ],
)
def test_a_base_line_alone_requires_an_administrator(resource: str, rows: dict[str, Any]) -> None:
    assert named(rows, resource, key="1") == {None}


@pytest.mark.parametrize(
    "row",
    [
        {"BaseLine": None},
        {"BaseLine": -1},
        {"BaseLine": 0, "BaseType": -1},
        {"BaseLine": 0, "BaseEntry": None},
        {"BaseLineNumber": 0, "SerialAndBatchNumbersBaseLine": 0},
    ],
)
def test_an_absent_or_empty_base_line_is_no_reference(row: dict[str, Any]) -> None:
    assert named(line(**row), key="1") == set()


@pytest.mark.parametrize(
    "body",
    [
        {"WithholdingTaxDataWTXCollection": [{"BaseType": "Gross"}]},
        {"DiscountGroups": [{"BaseObjectType": "dgboManufacturer", "ObjectEntry": "3"}]},
    ],
)
def test_base_names_in_taxes_and_discounts_are_no_references(body: dict[str, Any]) -> None:
    assert named(body) == set()


@pytest.mark.parametrize("entry", [None, -1, 0, "", "-1"])
def test_an_empty_key_is_no_reference(entry: object) -> None:
    assert named(line(BaseEntry=entry)) == set()
    assert named({"DownPaymentsToDraw": [{"DocEntry": entry}]}) == set()


@pytest.mark.parametrize(
    "row",
    [
        {"basetype": 23, "baseentry": 4},
        {"BASETYPE": 23, "BASEENTRY": 4},
        {"Ba\u017feType": 23, "Ba\u017feEntry": 4},
        {"\uff22aseType": 23, "\uff22aseEntry": 4},
        {" BaseType ": 23, "BaseEntry": 4},
        {"BaseType": -1, "basetype": 23, "BaseEntry": 4},
        {"BaseType": 23, "basetype": -1, "BaseEntry": None, "baseentry": 4},
    ],
)
def test_names_are_compared_in_any_spelling(row: dict[str, Any]) -> None:
    assert named(line(**row)) == {"Quotations"}


def test_references_are_found_at_any_depth_and_in_any_resource() -> None:
    row = {"BaseType": 112, "BaseEntry": 4}
    for body in (row, {"A": row}, {"A": [[{"B": {"C": [row]}}]]}, {"Document": {"DocumentLines": [row]}}):
        for resource in ("Orders", "Items", "JournalEntries", None):
            assert named(body, resource) == {"Drafts"}


@pytest.mark.parametrize(
    ("resource", "body", "expected"),
    [
        ("StockTransfers", {"StockTransferLines": [{"BaseType": "InventoryTransferRequest", "BaseEntry": 1}]}, {"InventoryTransferRequests"}),
        ("StockTransfers", {"StockTransferLines": [{"BaseType": "WarehouseTransfers", "BaseEntry": 1}]}, {"StockTransfers"}),
        ("StockTransfers", {"StockTransferLines": [{"BaseType": "Default", "BaseEntry": None}]}, set()),
        ("Orders", {"DocumentReferences": [{"RefObjType": "rot_PurchaseInvoice", "RefDocEntr": 3}]}, {"PurchaseInvoices"}),
        ("Orders", {"DocumentReferences": [{"RefObjType": 18, "RefDocNum": 3}]}, {"PurchaseInvoices"}),
        ("Orders", {"DocumentReferences": [{"RefObjType": "rot_ExternalDocument", "ExtDocNum": "F-1"}]}, set()),
        ("Orders", {"DocumentReferences": [{"ReferencedObjectType": 18, "ReferencedDocEntry": 3}]}, {"PurchaseInvoices"}),
        ("Invoices", {"DownPaymentsToDraw": [{"DocEntry": 3}]}, {"DownPayments"}),
        ("PurchaseInvoices", {"DownPaymentsToDraw": [{"docentry": "3"}]}, {"PurchaseDownPayments"}),
        ("Drafts", {"DownPaymentsToDraw": [{"DocInternalID": 3}]}, {"DownPayments", "PurchaseDownPayments"}),
        ("Invoices", {"DownPaymentsToDraw": [{"DownPaymentsToDrawDetails": [{"DocEntry": 3}]}]}, {"DownPayments"}),
        ("Orders", {"RelatedType": 13, "RelatedEntry": 4}, {"Invoices"}),
        ("Orders", {"RelatedType": -1, "RelatedEntry": None}, set()),
        ("CreditNotes", {"InternalCorrectedDocNum": 4}, {"Invoices"}),
        ("PurchaseCreditNotes", {"InternalCorrectedDocNum": 4}, {"PurchaseInvoices"}),
        ("Orders", {"BlanketAgreementNumber": 4}, {"BlanketAgreements"}),
        ("Orders", {"DocumentLines": [{"AgreementNo": 4}]}, {"BlanketAgreements"}),
        ("IncomingPayments", {"BlanketAgreement": 4}, {"BlanketAgreements"}),
        ("BusinessPartners", {"DefaultBlanketAgreementNumber": 4}, {"BlanketAgreements"}),
        ("IncomingPayments", {"PaymentInvoices": [{"DocEntry": 3, "InvoiceType": "it_Invoice"}]}, {"Invoices"}),
        ("IncomingPayments", {"PaymentInvoices": [{"DocEntry": 3, "InvoiceType": "IT_CREDITNOTE"}]}, {"CreditNotes"}),
        ("VendorPayments", {"PaymentInvoices": [{"DocEntry": 3, "InvoiceType": "18"}]}, {"PurchaseInvoices"}),
        ("VendorPayments", {"PaymentInvoices": [{"DocEntry": 3}]}, {None}),
        ("VendorPayments", {"PaymentChecks": [{"CheckAbsEntry": 3}]}, {"ChecksforPayment"}),
        ("JournalEntries", {"JournalEntryLines": [{"CheckAbs": 3}]}, {"ChecksforPayment"}),
        ("JournalEntries", {"Original": 3, "OriginalJournal": "ttAPInvoice"}, {"PurchaseInvoices"}),
        ("JournalEntries", {"Original": 3}, {None}),
        ("Activities", {"DocType": "17", "DocEntry": "3"}, {"Orders"}),
        ("Activities", {"DocTypeEx": "22", "DocNum": "3"}, {"PurchaseOrders"}),
        ("Activities", {"DocType": "-1", "DocEntry": "3"}, {None}),
        ("Activities", {"DocType": "-1", "DocTypeEx": "", "DocEntry": ""}, set()),
        ("Activities", {"DocType": "2", "DocEntry": "3"}, set()),
        ("Activities", {"ParentObjectType": "97", "ParentObjectId": 3}, {"SalesOpportunities"}),
        ("Activities", {"PreviousActivity": 3}, {"Activities"}),
        ("Orders", {"DocType": "dDocument_Items", "DocEntry": 3, "DocNum": 4}, set()),
        ("IncomingPayments", {"DocType": "rCustomer", "DocEntry": 3}, set()),
        ("Orders", {"DocumentLines": [{"DocEntry": 3, "UoMEntry": 4, "LineTaxJurisdictions": [{"DocEntry": 3}]}]}, set()),
        ("Orders", {"DocumentLines": [{"DocumentLinesBinAllocations": [{"BinAbsEntry": 3}]}]}, set()),
        ("Orders", {"CardCode": "C1", "SalesPersonCode": 3, "DocumentLines": [{"ItemCode": "A", "AccountCode": "1"}]}, set()),
        ("Orders", {"WithholdingTaxDataCollection": [{"BaseType": "btGross"}]}, set()),
        ("Orders", {"DocumentAdditionalExpenses": [{"BaseDocType": 17, "BaseDocEntry": 3}]}, {"Orders"}),
        ("Orders", {"U_BaseEntry": 3, "U_DocEntry": 4}, set()),
        ("Orders", {"SomethingNewEntry": 3}, {None}),
        ("Orders", {"SomethingNewEntry": -1}, set()),
    ],
)  # fmt: skip
def test_every_declared_reference_is_found(
    resource: str, body: dict[str, Any], expected: set[str | None]
) -> None:
    assert named(body, resource) == expected


def test_extension_resources_allow_declared_references_and_restrict_others() -> None:
    calls = Resource(
        name="ServiceCalls",
        key=IntKey("ServiceCallID"),
        read_menu="/servicio/llamadas",
        write_menu="/servicio/llamadas/editar",
        methods=READ_WRITE,
    )
    expenses = {"DocEntry": 4, "DocumentType": "edt_Order"}
    assert named({"ServiceCallInventoryExpenses": [expenses]}, calls) == {"Orders"}
    assert named({"ServiceCallID": 4, "DocNum": 5}, calls) == set()
    assert named({"Other": [{"DocEntry": 4}]}, calls) == {None}
    own = Resource(
        name="OFICHA",
        key=IntKey("DocEntry"),
        read_menu="/fichas",
        write_menu="/fichas/editar",
        methods=READ_WRITE,
    )
    rows = {"FICHA1Collection": [{"DocEntry": 7, "LineId": 1, "U_NOTA": "x"}]}
    assert named(rows, own, key="7") == set()
    assert named(rows, own, key="8") == {None}
    assert (
        named(
            {"Code": "A", "U_PEDIDO": 4},
            Resource(name="UDO", key=StrKey("Code"), read_menu=None, write_menu="/x/y", methods=READ_WRITE),
        )
        == set()
    )


def test_an_extensions_object_type_is_found() -> None:
    found = references_in(
        line(BaseType=4321, BaseEntry=1), ORDERS, object_types={**ENTITY_SETS, 4321: "Guias"}
    )
    assert found == References(frozenset({"Guias"}))


def test_object_types_are_those_of_the_declared_resources_and_of_the_metadata() -> None:
    assert {
        each.object_type: each.name for each in DEFAULT_RESOURCES if each.object_type
    }.items() <= ENTITY_SETS.items()
    facts = load_packaged_facts()
    for name in ("InvBaseDocTypeEnum", "BoRcptInvTypes", "TransTypesEnum", "BoObjectTypes"):
        for member, number in facts.enums[name].members.items():
            if int(number) in ENTITY_SETS or int(number) == NO_TYPE:
                assert read_object_type(member) == int(number), member


_MAY_REFER = re.compile(
    r"base(type|entry|line|doc\w*|ref\w*|object\w*)|actualbase\w*|target\w*|related\w*|original|original(journal|entry)"
    r"|\w*corrected\w*|\w*correctingdoc\w*|\w*agreement\w*|\w*obj(ect)?type|invoicetype|parentobject\w*|checkabs\w*"
    r"|picklist\w*|potarget\w*|previousactivity|salesopportunityid|campaign\w*|draft\w*|doctype(ex)?|ref(obj|doc)\w*"
)
_NOT_REFERENCES = {
    "potargetrownum": "a line's number",
    "agreementrownumber": "a line's number",
    "baseobjecttype": "of discount groups: groups of items, properties or manufacturers",
    "doctype": "of documents and payments: items or services, customer or supplier",
    "basetype": "of withholding taxes: gross, net or tax",
    "basereference": "a text",
    "basedate": "a date",
}


def properties_of(
    type_facts: TypeFacts, within: str = "", seen: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    facts = load_packaged_facts()
    for each in type_facts.properties.values():
        inner = facts.types.get(each.type_name)
        if inner is None:
            yield within, each.name
        elif each.type_name not in seen:
            yield from properties_of(inner, each.name, (*seen, each.type_name))


@pytest.mark.parametrize(
    "resource", [each for each in DEFAULT_RESOURCES if each.writable], ids=lambda each: each.name
)
def test_every_possible_reference_is_declared_or_exempt_with_a_reason(resource: Resource) -> None:
    undecided = [
        f"{within}.{name}"
        for within, name in properties_of(load_packaged_facts().entity_sets[resource.name].type)
        if (reference_names([fold_name(name)]) or _MAY_REFER.fullmatch(fold_name(name)))
        and not any(
            fold_name(name) in (*link.keys, *link.types, *link.lines)
            and link.applies(resource.name, fold_name(within))
            for link in LINKS
        )
        and not is_exempt(fold_name(name), fold_name(within), resource)
        and fold_name(name) not in _NOT_REFERENCES
        and fold_name(name) != "attachmententry"
    ]
    assert undecided == []
