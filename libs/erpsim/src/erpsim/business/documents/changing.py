"""Changes of stored documents: merging lines, closing lines, fixed fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from erpsim.business.documents.base_documents import LINES, opened
from erpsim.business.documents.composing import header_of, totalled
from erpsim.business.documents.line_header import Header
from erpsim.business.documents.lines import CLOSED, new_line
from erpsim.business.documents.pricing import sent_price
from erpsim.business.rules import Modification, changed_row, check_references
from erpsim.company.company import Company
from erpsim.company.errors import field_fixed, invalid
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import MergedRow, differing, merge_rows, number_rows, rows_of
from erpsim.company.rows.row_types import RowType
from erpsim.company.rows.values import as_decimal, as_int
from erpsim.facts.document_kinds import Kind, Posting

# Texts and references can be changed in every document, even in a closed or a booked one.
_SOFT = frozenset({
    "Comments", "JournalMemo", "NumAtCard", "Reference1", "Reference2", "OpeningRemarks",
    "ClosingRemarks", "TrackingNumber", "PickRemark", "AttachmentEntry", "DocumentsOwner",
    "ContactPersonCode", "Printed", "Indicator", "FolioNumber", "FolioPrefixString",
})  # fmt: skip
_SOFT_LINE = frozenset({
    "FreeText", "ItemDetails", "ShipDate", "SupplierCatNum", "ProjectCode",
})  # fmt: skip
# Fields that are fixed once a document is stored.
_FIXED = frozenset({
    "CardCode", "DocType", "Series", "DocObjectCode", "HandWritten", "DocNum",
})  # fmt: skip
# Fields that determine a line's amounts: changing one recalculates the line.
_PRICING = frozenset({
    "Quantity", "UnitPrice", "Price", "PriceAfterVAT", "DiscountPercent", "LineTotal", "RowTotalFC",
    "VatGroup", "TaxCode", "ItemCode", "UnitsOfMeasurment", "TaxPercentagePerRow", "WarehouseCode",
})  # fmt: skip
_COMPUTED_LINE = frozenset({
    "LineTotal", "RowTotalFC", "Price", "PriceAfterVAT", "TaxTotal", "GrossTotal", "OpenAmount",
})  # fmt: skip


def change_document(company: Company, kind: Kind, row: Fields, change: Modification) -> Fields:
    """Return a document after a change, with its amounts recalculated. Stores nothing.

    Only differing values count as changes, so that a client may send back what it read.

    Raises:
        SlError: -1029 for a fixed field; -5002 when rows are closed together with other changes.
    """
    row_type = company.row_type(kind.set_name)
    fields = change.fields
    closing = _closing_lines(row, change)
    if closing is not None:
        return _with_closed(row, closing)
    changed_header = differing(
        row_type, row, {name: value for name, value in fields.items() if name != LINES}
    )
    is_open = row.get("DocumentStatus") != CLOSED and row.get("Cancelled") != "tYES"
    free = is_open and kind.posting is Posting.NONE
    _check_header(changed_header, free=free, is_open=is_open)
    check_references(company, row_type.type, changed_header)
    changed = attrs.evolve(change, fields={**changed_header})
    document = changed_row(row_type, row, changed) if changed_header or change.reset else {**row}
    if change.reset:
        document = _restore(row, document, row_type.defaults)
    if LINES not in fields:
        if not free:
            return document
        header = header_of(company, kind, document)
        return totalled(company, header, document, wished_total=changed_header.get("DocTotal"))
    merged = merge_rows(
        row_type.collections[LINES],
        rows_of(row, LINES),
        rows_of(fields, LINES),
        replace=change.replace_collections or change.reset,
        append=change.append,
    )
    if not free:
        return {**document, LINES: list[Value](_soft_lines(row_type.collections[LINES], row, merged))}
    header = header_of(company, kind, document)
    nested = row_type.collections[LINES]
    lines = [_changed_line(company, header, nested, each, at) for at, each in enumerate(merged, 1)]
    if not lines:
        raise invalid(f"No rows in the document  [{kind.table}.DocEntry]")  # assumed text
    _check_removed(row, lines)
    numbered = number_rows(row_type.collections[LINES], lines, _next_line(row))
    document[LINES] = [{**line, "DocEntry": row["DocEntry"]} for line in numbered]
    document = totalled(company, header, document, wished_total=changed_header.get("DocTotal"))
    return {**document, LINES: [_reopened(row, line) for line in rows_of(document, LINES)]}


def _closing_lines(row: Fields, change: Modification) -> set[int] | None:
    """Return the numbers of the lines to close, None if the change closes none."""
    # Such a change may contain only `LineNum` and `LineStatus` (seen live).
    stored = {as_int(line["LineNum"]): line for line in rows_of(row, LINES)}
    sent_lines = rows_of(change.fields, LINES)
    closing = {
        as_int(line["LineNum"])
        for line in sent_lines
        if line.get("LineStatus") == CLOSED
        and line.get("LineNum") is not None
        and stored.get(as_int(line["LineNum"]), {}).get("LineStatus", CLOSED) != CLOSED
    }
    if not closing:
        return None
    names = {name for line in sent_lines for name in line} | (set(change.fields) - {LINES})
    if names - {"LineNum", "LineStatus"}:
        raise invalid("Document rows cannot be closed concurrently with the other document modifications.")
    return closing


def _with_closed(row: Fields, closing: set[int]) -> Fields:
    lines = [
        {**line, "LineStatus": CLOSED} if as_int(line["LineNum"]) in closing else line
        for line in rows_of(row, LINES)
    ]
    return {**row, LINES: list[Value](lines)}


def _check_header(changed: Mapping[str, Value], *, free: bool, is_open: bool) -> None:
    for name in changed:
        soft = name in _SOFT or name.startswith("U_") or (is_open and name == "DocDueDate")
        if not soft and (not free or name in _FIXED):
            raise field_fixed()


def _restore(row: Fields, document: Fields, defaults: Mapping[str, Value]) -> Fields:
    fixed_fields = {
        name: row[name] for name in row if name not in document and (name in _FIXED or name not in defaults)
    }
    for name in ("DocDate", "DocDueDate", "TaxDate", "DocCurrency", "DocTime", "VatDate"):
        if document.get(name) is None:
            fixed_fields[name] = row.get(name)
    return {**document, **fixed_fields}


def _soft_lines(row_type: RowType, row: Fields, merged: Iterable[MergedRow]) -> list[Fields]:
    """Return the lines of a document whose amounts are fixed.

    Raises:
        SlError: -1029 for a changed amount, a new line or a line left out.
    """
    lines = []
    for each in merged:
        if each.old is None:
            raise field_fixed()
        new = differing(row_type, each.old, each.sent)
        if any(name not in _SOFT_LINE and not name.startswith("U_") for name in new):
            raise field_fixed()
        lines.append(each.row)
    if len(lines) != len(rows_of(row, LINES)):
        raise field_fixed()
    return lines


def _changed_line(
    company: Company, header: Header, row_type: RowType, merged: MergedRow, position: int
) -> Fields:
    old = merged.old
    if old is None:
        return {**new_line(company, header, merged.sent, None, position), "VisualOrder": position - 1}
    new = _given(differing(row_type, old, merged.sent))
    if old.get("LineStatus") == CLOSED:
        if any(name not in _SOFT_LINE and not name.startswith("U_") for name in new):
            raise field_fixed()  # A closed row is fixed, whether other lines used it up or a user closed it.
        return merged.row
    if not new:
        return old
    if new.get("LineStatus") is not None or "BaseEntry" in new or "BaseType" in new:
        raise field_fixed()
    if not _PRICING & set(new):
        return merged.row
    drawn = as_decimal(old.get("Quantity")) - as_decimal(old.get("RemainingOpenQuantity"))
    if drawn and ("ItemCode" in new or as_decimal(merged.row.get("Quantity")) < drawn):
        raise field_fixed()
    return _line_anew(company, header, merged.row, old, new, position)


def _given(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}


def _line_anew(
    company: Company, header: Header, row: Fields, old: Fields, new: Fields, position: int
) -> Fields:
    """Complete a changed line again: a new item brings its own texts, tax and price."""
    base_fields = {name: value for name, value in row.items() if name not in _COMPUTED_LINE or name in new}
    if "ItemCode" in new:
        for name in ("ItemDescription", "UnitPrice", "VatGroup", "TaxCode", "MeasureUnit", "WarehouseCode"):
            if name not in new:
                base_fields.pop(name, None)
    elif "VatGroup" in new or "TaxCode" in new:
        base_fields["VatGroup"] = base_fields["TaxCode"] = new.get("VatGroup", new.get("TaxCode"))
    price = sent_price(header, base_fields, new)
    if price is None and "ItemCode" not in new:
        price = as_decimal(old.get("UnitPrice"))
    for name in _COMPUTED_LINE:
        base_fields.pop(name, None)
    if price is not None:
        base_fields["UnitPrice"] = price
    return new_line(company, header, base_fields, None, position)


def _check_removed(row: Fields, lines: Iterable[Fields]) -> None:
    """Refuse to remove a line that other lines were drawn from. The text is the one for fixed fields."""
    remaining_numbers = {line.get("LineNum") for line in lines}
    for line in rows_of(row, LINES):
        drawn = as_decimal(line.get("Quantity")) - as_decimal(line.get("RemainingOpenQuantity"))
        if line.get("LineNum") not in remaining_numbers and (drawn or line.get("LineStatus") == CLOSED):
            raise field_fixed()


def _next_line(row: Fields) -> int:
    return max((as_int(line["LineNum"]) for line in rows_of(row, LINES)), default=-1) + 1


def _reopened(row: Fields, line: Fields) -> Fields:
    """Return a line with its open quantity after a change: its quantity minus the drawn quantity."""
    old = next((each for each in rows_of(row, LINES) if each.get("LineNum") == line.get("LineNum")), None)
    if old is not None and old.get("LineStatus") == CLOSED:
        return line
    drawn = (
        as_decimal(old.get("Quantity")) - as_decimal(old.get("RemainingOpenQuantity"))
        if old is not None
        else as_decimal(None)
    )
    return opened(line, as_decimal(line.get("Quantity")) - drawn)
