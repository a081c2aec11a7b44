"""Drafts and previews."""

from __future__ import annotations

from decimal import Decimal

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.desk import Desk


def entry(document: Fields) -> int:
    value = document["DocEntry"]
    assert isinstance(value, int)
    return value


def quantities(desk: Desk, item: str, warehouse: str = "01") -> tuple[object, object, object]:
    for row in rows_of(desk.read("Items", item), "ItemWarehouseInfoCollection"):
        if row["WarehouseCode"] == warehouse:
            return row["InStock"], row["Committed"], row["Ordered"]
    raise AssertionError(warehouse)


def test_a_draft_changes_no_stock_until_it_is_added(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "DocObjectCode": "oDeliveryNotes",
        "DocumentLines": [{"ItemCode": item, "Quantity": 7}],
    }
    draft = desk.create("Drafts", body)
    assert quantities(desk, item)[0] == Decimal("100.0")
    desk.change("Drafts", entry(draft), {"DocumentLines": [{"LineNum": 0, "Quantity": 8}]})
    before = len(desk.rows("DeliveryNotes"))
    parameters = {"Document": {"DocEntry": str(draft["DocEntry"])}}
    assert desk.service("DraftsService_SaveDraftToDocument", parameters) is None
    assert len(desk.rows("DeliveryNotes")) == before + 1
    assert quantities(desk, item)[0] == Decimal("92.0")
    assert desk.refusal(desk.service, "DraftsService_SaveDraftToDocument", parameters).code == -5006


def test_a_draft_can_be_removed_and_not_closed(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocObjectCode": "17", "DocumentLines": [{"ItemCode": item}]}
    draft = desk.create("Drafts", body)
    assert draft["DocObjectCode"] == "oOrders"
    assert desk.refusal(desk.act, "Drafts", entry(draft), "Close").code == -5006
    desk.delete("Drafts", entry(draft))
    assert desk.refusal(desk.read, "Drafts", entry(draft)).status == 404


def test_a_draft_requires_a_known_document_type(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]}
    assert desk.refusal(desk.create, "Drafts", body).code == -1004
    strange = {**body, "DocObjectCode": "oDownPayments"}
    assert desk.refusal(desk.create, "Drafts", strange).status == 501


def test_a_preview_computes_the_document_without_storing_it(desk: Desk, customer: str, item: str) -> None:
    before = len(desk.rows("Orders"))
    document = {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 3}]}
    preview = desk.service("OrdersService_Preview", {"Document": document})
    assert isinstance(preview, dict)
    assert preview["DocTotal"] == Decimal("3570.0")
    assert preview["DocEntry"] is None
    assert len(desk.rows("Orders")) == before
