"""Successful replies of the ERP: a return, or an unknown outcome."""

from decimal import Decimal
from typing import Any

import pytest

from erpclient import Caller, ErpRecord
from supplier_returns.execution.repository import ReturnRepository
from supplier_returns.execution.rules.failures import Posted, PostOutcome, Unknown

pytestmark = pytest.mark.asyncio

BODY = b'{"DocEntry": 7, "DocNum": 70, "FolioNumber": null}'


class Answering:
    """An ERP that gives the same successful reply to every creation."""

    def __init__(self, record: ErpRecord) -> None:
        self._record = record

    async def create(self, _resource: str, _body: bytes, *, caller: Caller) -> ErpRecord:
        assert caller.user == "bodega"
        return self._record


async def posted_alone(record: ErpRecord) -> PostOutcome:
    erp: Any = Answering(record)
    return await ReturnRepository(erp, Caller("bodega")).post("ODEV-1-1-0a1b2c3d", b"{}", fenced=False)


@pytest.mark.parametrize("location", ["PurchaseReturns(7)", None])
async def test_a_success_with_a_return_is_a_posted_return(location: str | None) -> None:
    assert await posted_alone(ErpRecord(BODY, None, location)) == Posted(doc_entry=7, doc_num=70, folio=None)


@pytest.mark.parametrize(
    ("amounts", "total"),
    [
        ('"DocTotal": 1190.00, "VatSum": 190.0, "DocTotalFc": 0.0, "VatSumFc": 0.0', "1000"),
        ('"DocTotal": 1190, "VatSum": 190', "1000"),
        ('"DocTotal": 900000, "VatSum": 143697, "DocTotalFc": 5176.50, "VatSumFc": 826.5', "4350"),
        ('"DocTotal": 10.1, "VatSum": 0, "DocTotalFc": null, "VatSumFc": null', "10.1"),
        ('"DocTotal": 0, "VatSum": 0, "DocTotalFc": 0, "VatSumFc": 0', "0"),
        ('"DocTotal": null, "VatSum": null', None),
        ('"DocTotal": 10', None),
    ],
)
async def test_a_return_has_the_net_total_in_its_currency(amounts: str, total: str | None) -> None:
    body = f'{{"DocEntry": 7, "DocNum": 70, {amounts}}}'.encode()
    posted = await posted_alone(ErpRecord(body, None, None))
    assert posted == Posted(doc_entry=7, doc_num=70, total=None if total is None else Decimal(total))


async def test_a_success_that_stored_a_draft_is_unknown() -> None:
    assert await posted_alone(ErpRecord(BODY, None, "Drafts(7)")) == Unknown()


async def test_a_success_without_a_key_is_unknown() -> None:
    assert await posted_alone(ErpRecord(b"{}", None, "PurchaseReturns(7)")) == Unknown()
