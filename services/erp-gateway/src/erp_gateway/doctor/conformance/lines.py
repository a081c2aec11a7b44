"""Questions about the lines of a document."""

from typing import Final

from erp_gateway.doctor.conformance.sources import LIVE
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import kind, rows


@question(
    "Do a document's lines come when `DocumentLines` is selected?",
    expected="array",
    source="SAP's manual 1.29, 3.6.11; seen by integrators",
    breaks="front ends have to read whole documents to see their lines",
)
async def _lines_by_selection(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,DocumentLines", "$top": "1"}
    await fixture.first("Orders")
    (order,) = rows(await fixture.get("Orders", options, B1S_PageSize="1"))
    return kind(order.get("DocumentLines"))


@question(
    "Is `$expand=DocumentLines` refused with 400?",
    expected="400",
    source=LIVE,
    breaks="no effect: the registry declares no such expand",
)
async def _lines_can_not_be_expanded(fixture: Fixture) -> str:
    return str((await fixture.get("Orders", {"$expand": "DocumentLines", "$top": "1"})).status)


@question(
    "Is a path into lines refused in a condition with 400?",
    expected="400",
    source="two projects with live checks",
    breaks="no effect: our grammar has no paths in conditions",
)
async def _lines_can_not_be_filtered(fixture: Fixture) -> str:
    return str(
        (await fixture.get("Orders", {"$filter": "DocumentLines/ItemCode eq 'x'", "$top": "1"})).status
    )


LINE_QUESTIONS: Final = questions_in(globals())
