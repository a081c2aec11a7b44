"""Reads in one batch, and what is remembered of refusals."""

from collections.abc import Sequence

import pytest
from attrs import define, field

from erp_gateway.records.documents.batch_reader import BatchReader, DocumentRead
from erp_gateway.records.documents.paid_columns import PaidColumns
from erp_gateway.records.documents.refused_reads import REMEMBERED_S, RefusedReads
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpclient import Caller, CrossJoin, ErpList, ErpRefused, ErpRows, JoinedPath
from erpclient.batch import BatchRead, BatchResult
from erpclient.odata import ListQuery, RecordQuery
from erpclient.reads import ListRead, RecordRead
from servicekit.clock import ManualClock

REGISTRY = Registry(DEFAULT_RESOURCES, ())
EMPTY = ErpList(b"[]", 0)
FORBIDDEN = ErpRefused(403, -6006, "no")
UNKNOWN_NAME = ErpRefused(400, -1000, "Property 'PaidToDate' of 'Document' is invalid")
BAD_VALUE = ErpRefused(400, 201, "Query string error")
NO_SERVICE = ErpRefused(400, -1002, "Service Not Found")


@define
class Erp:
    """An ERP that refuses resources, and stops a batch there; it notes the resources of each batch."""

    refusals: dict[str, ErpRefused] = field(factory=dict)
    whole: ErpRefused | None = None
    has_paid: bool = True
    logins: int = 1
    batches: list[list[str]] = field(factory=list)

    async def read_batch(self, reads: Sequence[BatchRead], *, caller: Caller) -> tuple[BatchResult, ...]:
        self.batches.append([resource_of(read) for read in reads])
        if self.whole is not None:
            raise self.whole
        results: list[BatchResult] = []
        for read in reads:
            refusal = self.refusals.get(resource_of(read))
            if refusal is None and not self.has_paid and "PaidToDate" in columns_of(read):
                refusal = UNKNOWN_NAME
            if refusal is not None:
                return (*results, refusal)
            results.append(ErpRows(b"[]", more=False) if isinstance(read, CrossJoin) else EMPTY)
        return tuple(results)


def resource_of(read: BatchRead) -> str:
    return read.paths[0].path if isinstance(read, CrossJoin) else read.resource


def columns_of(read: BatchRead) -> tuple[str, ...]:
    return read.paths[0].select if isinstance(read, CrossJoin) else read.query.select or ()


def target(name: str) -> Registered:
    found = REGISTRY.find(name)
    assert found is not None
    return found


def listed(name: str, *columns: str) -> DocumentRead:
    query = ListQuery(select=("DocEntry", *columns), top=5)
    read = ListRead(name, query, is_tagged=False, hidden=frozenset(), ignores_case=False)
    return DocumentRead(target=target(name), read=read)


def joined(name: str, *columns: str) -> DocumentRead:
    read = CrossJoin((JoinedPath(name, ("DocEntry", *columns)),), "", 5)
    return DocumentRead(target=target(name), read=read)


def reader(erp: Erp, clock: ManualClock) -> BatchReader:
    return BatchReader(erp, PaidColumns(erp), RefusedReads(erp, clock))  # type: ignore[arg-type]  # a double


async def unread(batches: BatchReader, *reads: DocumentRead, most_calls: int = 3) -> list[str]:
    """Return the resources of the reads without a result."""
    done = await batches.read(reads, Caller("ana"), most_calls=most_calls)
    assert len(done) == len(reads)
    return [resource_of(each.read) for each, result in done if result is None]


@pytest.mark.asyncio
async def test_a_missing_right_is_remembered_for_ten_minutes_or_a_login(clock: ManualClock) -> None:
    erp = Erp({"Returns": FORBIDDEN})
    batches = reader(erp, clock)
    reads = (joined("Invoices"), joined("Returns"), joined("Orders"))
    assert await unread(batches, *reads) == ["Returns"]
    assert await unread(batches, *reads) == ["Returns"]
    assert erp.batches == [["Invoices", "Returns", "Orders"], ["Orders"], ["Invoices", "Orders"]]
    erp.refusals.clear()
    erp.logins = 2
    assert await unread(batches, *reads) == []
    erp.refusals["Returns"] = FORBIDDEN
    assert await unread(batches, *reads) == ["Returns"]
    clock.advance(REMEMBERED_S)
    erp.refusals.clear()
    assert await unread(batches, *reads) == []


@pytest.mark.asyncio
async def test_another_refusal_of_a_join_concerns_all_joins_and_no_list(clock: ManualClock) -> None:
    erp = Erp({"Returns": NO_SERVICE})
    batches = reader(erp, clock)
    reads = (listed("Orders"), joined("Returns"), joined("Invoices"), listed("Quotations"))
    assert await unread(batches, *reads) == ["Returns", "Invoices"]
    assert erp.batches[1:] == [["Quotations"]]


@pytest.mark.asyncio
async def test_a_refused_value_of_a_list_is_not_remembered(clock: ManualClock) -> None:
    erp = Erp({"Invoices": BAD_VALUE})
    batches = reader(erp, clock)
    assert await unread(batches, listed("Invoices", "PaidToDate"), listed("Orders")) == ["Invoices"]
    erp.refusals.clear()
    erp.batches.clear()
    assert await unread(batches, listed("Invoices", "PaidToDate")) == []
    assert erp.batches == [["Invoices"]]


@pytest.mark.asyncio
async def test_columns_that_the_erp_lacks_are_left_out_of_all_reads(clock: ManualClock) -> None:
    erp = Erp(has_paid=False)
    paid_columns = PaidColumns(erp)  # type: ignore[arg-type]  # a double
    batches = BatchReader(erp, paid_columns, RefusedReads(erp, clock))  # type: ignore[arg-type]  # a double
    reads = (listed("Orders"), joined("Invoices", "PaidToDate"), listed("CreditNotes", "PaidToDate"))
    assert await unread(batches, *reads) == []
    assert erp.batches == [["Orders", "Invoices", "CreditNotes"], ["Invoices", "CreditNotes"]]
    assert not paid_columns.are_known
    erp.logins = 2
    assert paid_columns.are_known


@pytest.mark.asyncio
async def test_a_missing_right_does_not_bring_lacking_columns_back(clock: ManualClock) -> None:
    erp = Erp({"CreditNotes": FORBIDDEN}, has_paid=False)
    paid_columns = PaidColumns(erp)  # type: ignore[arg-type]  # a double
    batches = BatchReader(erp, paid_columns, RefusedReads(erp, clock))  # type: ignore[arg-type]  # a double
    reads = (listed("Invoices", "PaidToDate"), listed("CreditNotes", "PaidToDate"))
    assert await unread(batches, *reads) == ["CreditNotes"]
    assert not paid_columns.are_known


@pytest.mark.asyncio
async def test_a_refused_batch_is_remembered_and_a_busy_erp_is_not(clock: ManualClock) -> None:
    erp = Erp(whole=ErpRefused(429, None, ""))
    batches = reader(erp, clock)
    with pytest.raises(ErpRefused):
        await unread(batches, listed("Orders"))
    erp.whole = FORBIDDEN
    assert await unread(batches, listed("Orders")) == ["Orders"]
    assert await unread(batches, listed("Orders")) == ["Orders"]
    assert len(erp.batches) == 2


@pytest.mark.asyncio
async def test_the_refusal_of_a_single_record_is_raised(clock: ManualClock) -> None:
    read = RecordRead("Orders", "(1)", RecordQuery(), is_tagged=False, hidden=frozenset(), key_filter=None)
    record = DocumentRead(target=target("Orders"), read=read)
    with pytest.raises(ErpRefused):
        await unread(reader(Erp({"Orders": ErpRefused(404, -2028, "")}), clock), record)


@pytest.mark.asyncio
async def test_reads_without_a_call_left_have_no_result(clock: ManualClock) -> None:
    erp = Erp({"Orders": FORBIDDEN})
    reads = (listed("Orders"), listed("Invoices"))
    assert await unread(reader(erp, clock), *reads, most_calls=1) == ["Orders", "Invoices"]
    assert await unread(reader(erp, clock), *reads, most_calls=0) == ["Orders", "Invoices"]
    assert len(erp.batches) == 1
