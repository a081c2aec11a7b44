"""Following documents from the ERP's database, where one is configured: one read for all kinds."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final, Protocol

import structlog
from attrs import define, frozen

from erp_gateway.records.documents.head import DOCUMENT_COLUMNS, HeadRow, shown
from erp_gateway.records.documents.paid_columns import PAID_COLUMNS
from erp_gateway.records.documents.refused_reads import RefusedReads
from erp_gateway.records.proxy.declarations.registry import Registered
from servicekit.errors import ServiceError

MOST_ROWS: Final = 500

_READ: Final = "document flow"
"""Label of the read in metrics, and its name among refused reads."""

TABLES: Final[Mapping[str, tuple[str, str]]] = {
    "Orders": ("ORDR", "RDR1"),
    "DeliveryNotes": ("ODLN", "DLN1"),
    "Returns": ("ORDN", "RDN1"),
    "ReturnRequest": ("ORRR", "RRR1"),
    "Invoices": ("OINV", "INV1"),
    "DownPayments": ("ODPI", "DPI1"),
    "CreditNotes": ("ORIN", "RIN1"),
    "PurchaseQuotations": ("OPQT", "PQT1"),
    "PurchaseOrders": ("OPOR", "POR1"),
    "PurchaseDeliveryNotes": ("OPDN", "PDN1"),
    "PurchaseReturns": ("ORPD", "RPD1"),
    "GoodsReturnRequest": ("OPRR", "PRR1"),
    "PurchaseInvoices": ("OPCH", "PCH1"),
    "PurchaseDownPayments": ("ODPO", "DPO1"),
    "PurchaseCreditNotes": ("ORPC", "RPC1"),
}
"""Header and lines of each resource (the tables of the metadata)."""

_COLUMNS: Final[Mapping[str, str]] = {
    "DocEntry": "DocEntry",
    "DocNum": "DocNum",
    "DocDate": "DocDate",
    "DocDueDate": "DocDueDate",
    "DocTotal": "DocTotal",
    "DocTotalFc": "DocTotalFC",
    "DocCurrency": "DocCur",
    "DocumentStatus": "DocStatus",
    "CancelStatus": "CANCELED",
    "PaidToDate": "PaidToDate",
    "PaidToDateFC": "PaidFC",
}
"""Columns of the header by the property's name."""

_STATUS: Final = {"O": "bost_Open", "C": "bost_Close"}
_CANCELLED: Final = {"N": "csNo", "Y": "csYes", "C": "csCancellation"}

_log = structlog.get_logger(__name__)


class Rows(Protocol):
    """Rows of a read."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Values by column."""
        ...

    @property
    def truncated(self) -> bool:
        """Whether further rows were cut off."""
        ...


class DatabaseReader(Protocol):
    """The client of the ERP's database."""

    async def read(
        self, query: str, sql: str, values: Sequence[Decimal], *, user: str | None, max_rows: int
    ) -> Rows:
        """Run a read; raises a `ServiceError` if the database fails."""
        ...


@frozen
class FoundDocuments:
    """Documents of several resources, and whether the list is complete."""

    documents: tuple[tuple[Registered, HeadRow], ...]
    is_complete: bool


@define(eq=False, repr=False)
class FollowingInDatabase:
    """Finds documents by the base of their lines.

    Args:
        database: the ERP's database; None where none is configured.
        refused: a failed read is not repeated for a while: the ERP's query service answers instead.
    """

    _database: DatabaseReader | None
    _refused: RefusedReads

    async def find(
        self, targets: Sequence[Registered], *, object_type: int, entry: int, user: str | None
    ) -> FoundDocuments | None:
        """Return the documents of these resources that have lines made from a document.

        Args:
            targets: resources of the documents.
            object_type: object type of the base.
            entry: number of the base.
            user: lane of the queue.

        Returns:
            None if no database can answer.
        """
        by_name = {target.resource.name: target for target in targets}
        if self._database is None or _READ in self._refused or not by_name.keys() <= TABLES.keys():
            return None
        sql = " UNION ALL ".join(map(_select, by_name))
        values = [Decimal(object_type), Decimal(entry)] * len(by_name)
        try:
            found = await self._database.read(_READ, sql, values, user=user, max_rows=MOST_ROWS)
            documents = tuple(
                (by_name[row["resource"]], _head(row, by_name[row["resource"]])) for row in found.rows
            )
        except ServiceError as error:
            self._refused.add(_READ)
            _log.warning("flow_database_failed", code=error.code)
            return None
        return FoundDocuments(documents, is_complete=not found.truncated)


def _select(resource: str) -> str:
    header, lines = TABLES[resource]
    columns = ", ".join(f'T0."{column}" AS "{name}"' for name, column in _COLUMNS.items())
    return (
        f'SELECT \'{resource}\' AS "resource", {columns} FROM "{header}" T0 '  # noqa: S608 - our own names; numbers are bound
        f'WHERE T0."DocEntry" IN (SELECT T1."DocEntry" FROM "{lines}" T1 '
        'WHERE T1."BaseType" = ? AND T1."BaseEntry" = ?)'
    )


def _head(row: Mapping[str, Any], target: Registered) -> HeadRow:
    visible = set(shown((*DOCUMENT_COLUMNS, *PAID_COLUMNS), target))
    values: dict[str, Any] = {name: row[name] if name in visible else None for name in _COLUMNS}
    return HeadRow(
        doc_entry=int(row["DocEntry"]),
        doc_num=None if values["DocNum"] is None else int(values["DocNum"]),
        doc_date=_day(values["DocDate"]),
        doc_due_date=_day(values["DocDueDate"]),
        doc_total=_amount(values["DocTotal"]),
        doc_total_fc=_amount(values["DocTotalFc"]),
        doc_currency=values["DocCurrency"],
        document_status=_STATUS.get(values["DocumentStatus"]),
        cancel_status=_CANCELLED.get(values["CancelStatus"]),
        paid_to_date=_amount(values["PaidToDate"]),
        paid_to_date_fc=_amount(values["PaidToDateFC"]),
    )


def _day(value: object) -> str | None:
    if value is None:
        return None
    return value.isoformat() if isinstance(value, date) else str(value)


def _amount(value: object) -> Decimal | None:
    return None if value is None else Decimal(str(value))
