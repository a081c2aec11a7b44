"""Questions that need a write: rows of the fence, and stored queries of the suite."""

import json
import uuid
from typing import Final

from erpclient.batch import batch_call, creation_of
from erpclient.http.calls import Call
from erpclient.http.messages import HttpReply
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import either, fields, refusal, status
from supplier_returns.conformance.objects import check_installed
from supplier_returns.saved_queries.queries import STORED_QUERIES

_FENCE: Final = "U_LIB_CLAVE"
_TRIAL: Final = "CONFORMANCE"


async def _remove(fixture: Fixture, path: str) -> None:
    call = Call("DELETE", path.partition("(")[0], f"/{path}", write=True)
    if status(await fixture.session.send(call)) != "204":
        fixture.note(f"{path} stays: remove it by hand")


async def _stored(fixture: Fixture, text: str) -> HttpReply:
    """Store a query and remove it at once. Return the reply to the creation."""
    code = f"{_TRIAL}_{fixture.mark[-8:]}"
    reply = await fixture.create("SQLQueries", {"SqlCode": code, "SqlName": code, "SqlText": text})
    if reply.status == 201:  # noqa: PLR2004 - created
        await _remove(fixture, f"SQLQueries('{code}')")
    return reply


async def _store(fixture: Fixture, text: str) -> str:
    return status(await _stored(fixture, text))


_MANUAL: Final = "SAP's manual 1.29, 4"


@question(
    "Is a second row with the same `Code` refused with 400 and code -2035?",
    expected="400/-2035",
    source="refusals of the Service Layer kept by two projects",
    breaks="the fence keeps no second return out",
    writes=True,
)
async def _user_table_key_once(fixture: Fixture) -> str:
    await check_installed(fixture, _FENCE)
    row = {"Code": fixture.mark, "Name": fixture.mark}
    await fixture.create(_FENCE, row)
    # The row is removed even if the ERP wrongly accepted the second one.
    second = refusal(await fixture.create(_FENCE, row))
    await _remove(fixture, f"{_FENCE}('{fixture.mark}')")
    return second


@question(
    "Does a failed change set leave no row of a user table?",
    expected="nothing",
    source="SAP's manual 1.29, 3.9, of change sets in general; unproven for these",
    breaks="keys are used up without a return; `EXECUTION_FENCE=auto` does without the fence then",
    switches=("user_tables_roll_back=false", "other_habits=batches-keep-what-was-done"),
    writes=True,
)
async def _user_rows_roll_back(fixture: Fixture) -> str:
    await check_installed(fixture, _FENCE)
    key = f"{fixture.mark}-X"
    operations = [
        creation_of(_FENCE, json.dumps({"Code": key, "Name": key}).encode()),
        creation_of("PurchaseReturns", b'{"CardCode":"","DocumentLines":[]}'),
    ]
    await fixture.session.send(
        batch_call(operations, root_path=fixture.session.root_path, guid=str(uuid.uuid4()))
    )
    exists = (await fixture.get(f"{_FENCE}('{key}')")).status == 200  # noqa: PLR2004 - found
    if exists:
        await _remove(fixture, f"{_FENCE}('{key}')")
    return either(exists, "a-row", "nothing")


@question(
    "Does the analyser take the texts of our stored queries: their tables, columns and functions?",
    expected="201",
    source=_MANUAL + ".5 to 4.10: a list of tables that each installation can change",
    breaks="no plan can be made; the refusal names the function (701), table (702) or column (703)",
    switches=("sql_tables_removed=OBTQ",),
    writes=True,
)
async def _our_queries_are_accepted(fixture: Fixture) -> str:
    """Test the text for one database. The analyser translates the few functions that differ."""
    for query in STORED_QUERIES:
        answer = await _store(fixture, query.text("HANA"))
        if answer != "201":
            return answer
    return "201"


@question(
    "Is the text of a stored query another than the one that was sent?",
    expected="rewritten",
    source=_MANUAL + ".9",
    breaks="nothing: texts are never compared, because of this",
    switches=("other_habits=stored-query-text-kept",),
    writes=True,
)
async def _stored_query_is_rewritten(fixture: Fixture) -> str:
    text = "select T0.ItemCode as Code from OITM T0"
    return either(fields(await _stored(fixture, text)).get("SqlText") == text, "as-sent", "rewritten")


@question(
    "Is a function that the analyser does not know refused with 400 and code 701?",
    expected="400/701",
    source=_MANUAL + ".10",
    breaks="the refusal is shown without saying what it means",
    writes=True,
)
async def _unknown_function_is_701(fixture: Fixture) -> str:
    return await _store(fixture, 'SELECT LENGTH(T0."ItemCode") AS "N" FROM "OITM" T0')


@question(
    "Is a table that is not on the list refused with 400 and code 702?",
    expected="400/702",
    source=_MANUAL + ".10",
    breaks="the refusal is shown without saying what it means",
    writes=True,
)
async def _unlisted_table_is_702(fixture: Fixture) -> str:
    return await _store(fixture, 'SELECT T0."Nothing" AS "N" FROM "CONFORMANCE_NONE" T0')


TRIAL_QUESTIONS: Final = questions_in(globals())
"""Questions in the order of the suite."""
