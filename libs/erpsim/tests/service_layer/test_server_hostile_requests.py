"""Whatever comes over the wire, the simulator answers as a Service Layer or refuses; it never breaks."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim.simulator import Simulator, run_sim

PIECES = (
    *("Items", "Orders", "BusinessPartners", "UserFieldsMD", "Nonsense", "$batch", "$metadata", "$count"),
    *(
        "$value",
        "(1)",
        "('A')",
        "('A%2F1')",
        "(",
        ")",
        "'",
        "(DocEntry=1)",
        "''",
        "%",
        "%00",
        "%FF",
        "%C3%B1",
    ),
    *("%252F", "/", "//", "..", ".", "Close", "Cancel", "DocumentLines", "ItemName", "?", "&", "=", "$top="),
    *("$skip=", "$filter=", "$select=", "$orderby=", "$expand=", "$apply=", "1", "-1", "ItemCode", "eq", "+"),
    *("%20", "null", "99999999999999999999", "startswith(", ",", "CompanyService_GetCompanyInfo"),
)
SETS = st.sampled_from(["Items", "Orders", "BusinessPartners", "JournalEntries", "UserTablesMD", "Drafts"])
KEYS = st.sampled_from(["", "", "(1)", "('A%2F1')", "('NEW')", "(0)", "(ItemCode='A')", "('C1')"])
BELOW = st.sampled_from(["", "", "/Close", "/Cancel", "/DocNum", "/DocNum/$value", "/$count"])
OPTIONS = st.sampled_from(
    [
        *(
            "",
            "",
            "?$top=3",
            "?$select=DocEntry,CardCode",
            "?$filter=DocEntry%20gt%201",
            "?$orderby=CardName",
        ),
        *(
            "?$filter=contains(CardName,'a')",
            "?$expand=BusinessPartner",
            "?$filter=not%20(ItemCode%20eq%20null)",
        ),
    ]
)
ROUGH_TARGETS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
FINE_TARGETS = st.tuples(SETS, KEYS, BELOW, OPTIONS).map("".join)
TARGETS = ROUGH_TARGETS | FINE_TARGETS
METHODS = st.sampled_from(["GET", "POST", "PATCH", "PUT", "MERGE", "DELETE"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["ItemCode", "CardCode", "DocumentLines", "LineNum", "Quantity", "DocDate", "Valid", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
BODIES = JSON_VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=60) | st.just(b"")
HEADERS = st.sampled_from(
    [
        *("Prefer: odata.maxpagesize=2", "Prefer: return-no-content", "B1S-PageSize: x", 'If-Match: W/"x"'),
        *("If-Match: ,", "B1S-CaseInsensitive: true", "B1S-ReplaceCollectionsOnPatch: true"),
        *("Content-Type: multipart/mixed;boundary=b", "Cookie: B1SESSION=", "X-HTTP-Method-Override: PATCH"),
    ]
)
EXPECTED = {200, 201, 202, 204, 400, 401, 403, 404, 412, 501}
REQUESTS = st.tuples(METHODS, st.sampled_from(["v1", "v2"]), TARGETS, st.lists(HEADERS, max_size=2), BODIES)


async def send(sim: Simulator, request: tuple[str, str, str, list[str], bytes], cookie: str) -> int:
    method, root, target, headers, body = request
    lines = [
        f"{method} /b1s/{root}/{target} HTTP/1.1",
        *("Host: x", "Connection: close", f"Cookie: {cookie}", f"Content-Length: {len(body)}"),
        *headers,
    ]
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        answer = await asyncio.wait_for(reader.read(), 30)
    finally:
        writer.close()
        await writer.wait_closed()
    return int(answer.split(b" ", 2)[1])


async def statuses(requests: list[tuple[str, str, str, list[str], bytes]]) -> list[int]:
    async with run_sim() as sim:
        session = sim.sessions.open("manager", None)
        cookie = f"B1SESSION={session.session_id}; ROUTEID=.node1"
        return [await send(sim, request, cookie) for request in requests]


@given(st.lists(REQUESTS, min_size=1, max_size=25))
@settings(max_examples=15, deadline=None)
def test_no_request_breaks_the_simulator(requests: list[tuple[str, str, str, list[str], bytes]]) -> None:
    found = asyncio.run(statuses(requests))
    assert set(found) <= EXPECTED


@pytest.mark.proof
@pytest.mark.timeout(900)
@given(st.lists(REQUESTS, min_size=1, max_size=25))
@settings(max_examples=600, deadline=None)
def test_many_requests_do_not_break_the_simulator(
    requests: list[tuple[str, str, str, list[str], bytes]],
) -> None:
    found = asyncio.run(statuses(requests))
    assert set(found) <= EXPECTED
