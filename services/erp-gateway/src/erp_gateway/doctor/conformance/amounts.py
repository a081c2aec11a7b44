"""Questions about paid amounts and sums."""

from http import HTTPStatus
from typing import Final

from erp_gateway.doctor.conformance.sources import METADATA
from erpclient.odata import SumQuery
from erpclient.odata.sums import COUNT, sum_name
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, either, kind, rows


@question(
    "Does an invoice have its paid amount (`PaidToDate`)?",
    expected="number",
    source="clients that read it from live systems; not in the recorded metadata of an older build",
    breaks="totals are shown instead of open amounts of invoices (`openKnown`)",
    switches=("paid_amounts=false",),
)
async def _invoices_show_what_is_paid(fixture: Fixture) -> str:
    await fixture.first("Invoices")
    options = {"$select": "DocEntry,PaidToDate", "$top": "1"}
    (invoice,) = rows(await fixture.get("Invoices", options, B1S_PageSize="1"))
    return kind(invoice.get("PaidToDate"))


@question(
    "Do the rows of a received payment name the invoice (`DocEntry`, `InvoiceType`) in a list?",
    expected="number/text",
    source=METADATA,
    breaks="a document's flow shows no payments",
)
async def _payments_name_their_invoices(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,PaymentInvoices", "$top": "20"}
    found = rows(await fixture.get("IncomingPayments", options, B1S_PageSize="20"))
    paid = [row for payment in found for row in payment.get("PaymentInvoices") or ()]
    if not paid:
        raise QuestionSkipped("no payment of an invoice")
    return f"{kind(paid[0].get('DocEntry'))}/{kind(paid[0].get('InvoiceType'))}"


@question(
    "Does `$apply` add up what its filter leaves, each currency by itself, and count it?",
    expected="summed",
    source="SAP's manual 1.22, 3.7; SAP's blogs on aggregation and grouping",
    breaks="`GET /api/sums` says that there are no sums; lists show the sum of one page",
    switches=(
        "other_habits=no-apply",
        "other_habits=apply-ignored",
        "other_habits=apply-filter-ignored",
    ),
)
async def _sums_of_a_filter(fixture: Fixture) -> str:
    order = (await fixture.two("Orders"))[0]
    query = SumQuery(
        sums=("DocTotal",), key="DocEntry", by=("DocCurrency",), filter=f"DocEntry eq {order['DocEntry']}"
    )
    reply = await fixture.get(f"Orders?{query.encode()}")
    if reply.status >= HTTPStatus.BAD_REQUEST:
        return "refused"
    if any(COUNT not in row for row in rows(reply)):
        return "ignored"
    found = [(row.get("DocCurrency"), row.get(sum_name(0)), row.get(COUNT)) for row in rows(reply)]
    return either(found == [(order["DocCurrency"], order["DocTotal"], 1)], "summed", "other")


AMOUNT_QUESTIONS: Final = questions_in(globals())
