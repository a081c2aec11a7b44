"""Questions about stored queries."""

from typing import Final

from erpclient.http.calls import query_call
from erpclient.http.messages import HttpReply
from erpclient.stored_queries import QueryValue, query_parameters
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, either, fields, refusal, rows, status
from supplier_returns.saved_queries.queries import OPEN_RECEIPTS, STOCK, STORED_QUERIES, StoredQuery

_LARGEST: Final = 2**31 - 1


async def _stored(fixture: Fixture, query: StoredQuery) -> dict[str, object]:
    reply = await fixture.get(f"SQLQueries('{query.code}')")
    if reply.status == 404:  # noqa: PLR2004 - not found
        raise QuestionSkipped(f"{query.code} is not stored; rebuild the metadata first")
    return fields(reply)


async def _run(fixture: Fixture, query: StoredQuery, page_size: int) -> HttpReply:
    await _stored(fixture, query)
    warehouse = (await fixture.first("Warehouses"))["WarehouseCode"]
    parameters: dict[str, QueryValue] = {"almacen": warehouse, "articulo": "%", "desde": 0, "hasta": _LARGEST}
    values = parameters | {f"{name}Total": value for name, value in parameters.items()}
    call = query_call(query.code, query_parameters(values), page_size=page_size)
    return await fixture.session.send(call)


_MANUAL: Final = "SAP's manual 1.29, 4"


@question(
    "Can this user see which queries are stored?",
    expected="200",
    source=_MANUAL + ".11",
    breaks="nobody knows which version is installed, and no plan is made",
)
async def _stored_queries_can_be_seen(fixture: Fixture) -> str:
    codes = " or ".join(f"SqlCode eq '{query.code}'" for query in STORED_QUERIES)
    return status(await fixture.get("SQLQueries", {"$select": "SqlCode,SqlName", "$filter": codes}))


@question(
    "Is `SqlName` of a stored query kept as it was sent?",
    expected="kept",
    source=_MANUAL + ".3",
    breaks="the version is lost: queries count as outdated for ever",
    switches=("other_habits=stored-query-name-lost",),
)
async def _stored_query_keeps_its_name(fixture: Fixture) -> str:
    name = str((await _stored(fixture, STOCK)).get("SqlName"))
    return either(STOCK.version_in(name), "kept", "lost")


@question(
    "Is `ParamList` of a stored query the names of its parameters?",
    expected="named",
    source=_MANUAL + ".3",
    breaks="nothing: the names are ours",
    switches=("other_habits=stored-query-parameters-unlisted",),
)
async def _stored_query_lists_parameters(fixture: Fixture) -> str:
    names = str((await _stored(fixture, STOCK)).get("ParamList")).split(",")
    return either(
        {"almacen", "articulo", "desde", "hasta"} <= {name.strip() for name in names}, "named", "other"
    )


@question(
    "Does `POST .../List` run a stored query, with its parameters in the body, and answer 200?",
    expected="200",
    source=_MANUAL + ".3",
    breaks="no stock and no receipts can be read",
)
async def _stored_query_runs_by_post(fixture: Fixture) -> str:
    return status(await _run(fixture, STOCK, 20))


@question(
    "Does `Prefer: odata.maxpagesize` set a stored query's page, with a next link to the rest?",
    expected="as-asked",
    source=_MANUAL + ".4",
    breaks="results can't be proved whole: reading goes by ranges, with many more calls",
    switches=("other_habits=stored-query-pages-are-short", "other_habits=no-next-link"),
)
async def _stored_query_paging(fixture: Fixture) -> str:
    page = fields(await _run(fixture, STOCK, 1))
    found = page.get("value")
    more = fixture.annotated("nextLink") in page
    return either(isinstance(found, list) and len(found) == 1 and more, "as-asked", "other")


@question(
    "Does a page of 25,000 rows hold all rows that the query counts?",
    expected="proved-whole",
    source="the count is ours; that pages may be so large is assumed",
    breaks="results are read by ranges, with many more calls",
    switches=(
        "other_habits=stored-query-pages-are-short",
        "other_habits=stored-query-names-in-capitals",
    ),
)
async def _stored_query_large_pages(fixture: Fixture) -> str:
    reply = await _run(fixture, STOCK, 25_000)
    counts = [int(row["Filas"]) for row in rows(reply) if row.get("Filas")]
    if not counts:
        return "not-proved"
    # So few rows fit on a page of the default size, so the question would prove nothing.
    if counts[0] < 21:  # noqa: PLR2004 - default page size
        raise QuestionSkipped("fewer than 21 items in the first warehouse")
    return either(counts[0] == len(rows(reply)) - 1, "proved-whole", "cut")


@question(
    "Are the columns of a stored query's rows named as its aliases, letter for letter?",
    expected="aliases",
    source=_MANUAL + ".9",
    breaks="no row can be read: `query_incomplete`",
    switches=("other_habits=stored-query-names-in-capitals",),
)
async def _stored_query_columns_are_aliases(fixture: Fixture) -> str:
    found = rows(await _run(fixture, STOCK, 1))
    return either(found and {"ItemCode", "OnHand", "Version"} <= set(found[0]), "aliases", "other")


@question(
    "Are dates in a stored query's rows eight digits, `20201007`?",
    expected="digits",
    source=_MANUAL + ".9",
    breaks="receipts have no date, and the oldest can't be chosen",
    switches=("other_habits=stored-query-dates-with-dashes",),
)
async def _stored_query_dates_are_digits(fixture: Fixture) -> str:
    dates = [
        str(row["DocDate"]) for row in rows(await _run(fixture, OPEN_RECEIPTS, 5)) if row.get("ItemCode")
    ]
    if not dates:
        raise QuestionSkipped("no open receipt in the first warehouse")
    return either(all(len(date) == 8 and date.isdecimal() for date in dates), "digits", "other")  # noqa: PLR2004


@question(
    "Is running a query that is not stored a 404 with code -2028?",
    expected="404/-2028",
    source="a log of a live system",
    breaks="a query that somebody removed is not stored again by itself",
    switches=("other_habits=missing-is-400",),
)
async def _missing_query_is_404(fixture: Fixture) -> str:
    return refusal(await fixture.session.send(query_call("CONFORMANCE_NONE", "", page_size=1)))


@question(
    "Is a parameter that a stored query does not have refused with 400 and code 704?",
    expected="400/704",
    source=_MANUAL + ".8",
    breaks="a query of another version is not recognised, and no plan is made until somebody rebuilds",
    switches=("other_habits=stored-query-parameters-pass",),
)
async def _unfit_parameter_is_704(fixture: Fixture) -> str:
    await _stored(fixture, STOCK)
    return refusal(await fixture.session.send(query_call(STOCK.code, "conformance=1", page_size=1)))


QUERY_QUESTIONS: Final = questions_in(globals())
"""Questions in the order of the suite."""
