"""Questions about joins and about several reads in one request."""

import uuid
from http import HTTPStatus
from typing import Final

from erpclient import CrossJoin, ErpRefused, JoinedPath
from erpclient.batch import ReadBatch
from erpclient.odata import ListQuery
from erpclient.reads import ListRead
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import UnexpectedAnswer, either, refusal, rows


def _lines_of_orders(entry: object) -> CrossJoin:
    lines = "Orders/DocumentLines"
    condition = f"Orders/DocEntry eq {lines}/DocEntry and Orders/DocEntry eq {entry}"
    return CrossJoin((JoinedPath("Orders", ("DocEntry",)), JoinedPath(lines, ("LineNum",))), condition, 5)


@question(
    "Does `QueryService_PostQuery` join a document with its lines, each row with a member for each path?",
    expected="by-path",
    source="SAP's manual 1.22, 3.7.10; SAP's blog on row level filters",
    breaks="the flow of a document does not show its follow-up documents, and says so (`isComplete`)",
    switches=("query_service=false",),
)
async def _query_service_joins_lines(fixture: Fixture) -> str:
    entry = (await fixture.first("Orders")).get("DocEntry")
    found = rows(await fixture.session.send(_lines_of_orders(entry).to_call()))
    return either(bool(found) and set(found[0]) == {"Orders", "Orders/DocumentLines"}, "by-path", "other")


@question(
    "Are several reads in one `$batch` answered one by one, also those of the query service?",
    expected="2",
    source="SAP's manual 1.29, 3.9; unproven for the query service",
    breaks="the flow of a document shows only the document, and says so (`isComplete`)",
    switches=("query_service=false",),
)
async def _reads_in_a_batch(fixture: Fixture) -> str:
    entry = (await fixture.first("Orders")).get("DocEntry")
    query = ListQuery(select=("DocEntry",), filter=f"DocEntry eq {entry}", top=1)
    one = ListRead("Orders", query, is_tagged=False, hidden=frozenset(), ignores_case=False)
    batch = ReadBatch((one, _lines_of_orders(entry)))
    call = batch.to_call(dialect=fixture.dialect, root_path=fixture.session.root_path, guid=str(uuid.uuid4()))
    reply = await fixture.session.send(call)
    if reply.status >= HTTPStatus.BAD_REQUEST:
        raise UnexpectedAnswer(refusal(reply))
    results = batch.read_results(reply.body, reply.content_type)
    return str(sum(not isinstance(result, ErpRefused) for result in results))


COMBINED_READ_QUESTIONS: Final = questions_in(globals())
