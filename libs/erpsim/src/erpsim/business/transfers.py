"""Stock transfers between warehouses, and transfer requests."""

from __future__ import annotations

from decimal import Decimal

import attrs

from erpsim.business import stock
from erpsim.business.documents.tracking import is_managed
from erpsim.business.rules import (
    Answer,
    Modification,
    Operation,
    changed_row,
    check_references,
    number_collections,
    unknown_action,
)
from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, field_fixed, invalid, no_match, not_supported
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import differing, rows_of
from erpsim.company.rows.values import as_decimal
from erpsim.company.series import take_number

LINES = "StockTransferLines"
_OPEN_FIELDS = frozenset({
    "Comments", "JournalMemo", "Reference1", "Reference2", "AttachmentEntry",
})  # fmt: skip
_CLOSED = "bost_Close"


@attrs.frozen
class TransferRules:
    """Transfers or requests.

    Args:
        code: object number.
        moves: whether goods move (not for requests).
    """

    code: int
    moves: bool

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Add a transfer.

        Raises:
            SlError: unknown items or warehouses, no lines, or a warehouse falls below zero.
        """
        company, set_name = at.company, at.set_name
        check_references(company, at.row_type.type, fields)
        fields = {name: value for name, value in fields.items() if value is not None}
        day = str(fields.get("DocDate") or company.today())
        transfer: Fields = {
            "DocDate": day,
            "DueDate": day,
            "TaxDate": day,
            "JournalMemo": set_name,
            "DocObjectCode": str(self.code),
            "DocumentStatus": "bost_Open",
            **number_collections(company.row_type(set_name), fields),
        }
        entry = company.next_number(set_name)
        series, number = take_number(company, self.code, fields.get("Series"))
        sent_lines = rows_of(transfer, LINES)
        if not sent_lines:
            raise invalid("No rows in the document  [OWTR.DocEntry]")  # assumed text
        lines = [self._line(company, transfer, line, position) for position, line in enumerate(sent_lines, 1)]
        transfer |= {
            "DocEntry": entry,
            "DocNum": number,
            "Series": series,
            LINES: [{**line, "DocEntry": entry} for line in lines],
        }
        if self.moves:
            transfer["DocumentStatus"] = _CLOSED
            self._move(company, lines, back=False)
        return company.insert(set_name, transfer)

    def _line(self, company: Company, transfer: Fields, line: Fields, position: int) -> Fields:
        item = company.referred("Items", line.get("ItemCode"))
        source = line.get("FromWarehouseCode") or transfer.get("FromWarehouse")
        target = line.get("WarehouseCode") or transfer.get("ToWarehouse")
        for warehouse in (source, target):
            if company.find("Warehouses", str(warehouse)) is None:
                raise no_match()
        quantity = as_decimal(line.get("Quantity", Decimal("1.0")))
        if quantity <= 0:
            raise invalid(
                f"Enter a quantity greater than zero  [WTR1.Quantity][line: {position}]"
            )  # assumed text
        return {
            "ItemDescription": item.get("ItemName"),
            "UnitsOfMeasurment": Decimal("1.0"),
            **line,
            "FromWarehouseCode": source,
            "WarehouseCode": target,
            "Quantity": quantity,
            "InventoryQuantity": quantity,
            "RemainingOpenQuantity": quantity,
            "RemainingOpenInventoryQuantity": quantity,
            "LineStatus": _CLOSED if self.moves else "bost_Open",
        }

    def _move(self, company: Company, lines: list[Fields], *, back: bool) -> None:
        for position, line in enumerate(lines, 1):
            quantity = as_decimal(line["InventoryQuantity"])
            places = [str(line["FromWarehouseCode"]), str(line["WarehouseCode"])]
            source, target = reversed(places) if back else places
            place = f"[WTR1.ItemCode][line: {position}]"
            for warehouse, change in ((source, -quantity), (target, quantity)):
                item = company.referred("Items", line["ItemCode"])
                if is_managed(item):
                    raise NotSimulatedError("transfers of items managed by batch or serial number")
                stock.move(company, item, warehouse, change, price=None, place=place)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change texts. Moved goods stay moved.

        Raises:
            SlError: -1029 for anything else.
        """
        new = differing(at.row_type, row, change.fields)
        if LINES in new:
            raise NotSimulatedError(f"changes of {LINES}")
        if any(name not in _OPEN_FIELDS and not name.startswith("U_") for name in new):
            raise field_fixed()
        at.company.update(at.set_name, changed_row(at.row_type, row, Modification(change.fields)))

    def delete(self, _at: Operation, _row: Fields, /) -> None:
        """Refuse: documents can't be removed (SAP manual 1.22, 3.5.4)."""
        raise not_supported()

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Close a request, or cancel a transfer by moving the goods back.

        Raises:
            SlError: -5006 where the state does not allow it.
        """
        if action not in {"Close", "Cancel"}:
            raise unknown_action(at, action)
        closing = action == "Close"
        done = bool(row.get("$cancelled")) or (closing and row.get("DocumentStatus") == _CLOSED)
        if closing is self.moves or done:
            raise not_supported()
        if closing:
            at.company.update(at.set_name, {**row, "DocumentStatus": _CLOSED})
        else:
            self._cancel(at, row)
        return None

    def _cancel(self, at: Operation, row: Fields) -> None:
        company = at.company
        self._move(company, rows_of(row, LINES), back=True)
        entry = company.next_number(at.set_name)
        series, number = take_number(company, self.code, row.get("Series"))
        lines: list[Value] = [
            {
                **line,
                "DocEntry": entry,
                "FromWarehouseCode": line["WarehouseCode"],
                "WarehouseCode": line["FromWarehouseCode"],
            }
            for line in rows_of(row, LINES)
        ]
        own: Fields = {"DocEntry": entry, "DocNum": number, "Series": series, LINES: lines, "$cancelled": 1}
        company.insert(at.set_name, {**row, **own})
        company.update(at.set_name, {**row, "$cancelled": 1})


TRANSFERS = TransferRules(67, moves=True)
REQUESTS = TransferRules(1250000001, moves=False)
