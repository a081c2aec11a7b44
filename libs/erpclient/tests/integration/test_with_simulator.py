"""The client against the simulated Service Layer, v1 and v2: two independent readings of one protocol."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias

import attrs
import pytest
from manual_clock import ManualClock

from erpclient import (
    Caller,
    Clock,
    Credentials,
    ErpClient,
    ErpError,
    ErpKeyUnsupported,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyUnreadable,
    ErpServerError,
    ErpSettings,
    ErpTimeout,
    ErpUnreachable,
    Outcome,
    SessionEnded,
)
from erpclient.odata import IntKey, ListQuery, RecordQuery, StrKey, quote_string
from erpsim.company.switches import Switches
from erpsim.faults import (
    BadGateway,
    CutAfterAnswer,
    Drop,
    ExpireSession,
    Fault,
    Garbage,
    GzipBomb,
    Hang,
    Oversize,
    Refuse,
    Truncate,
    When,
    company_unavailable,
)
from erpsim.simulator import Simulator, run_sim

CREDENTIALS = Credentials("SBO_DEMO", "manager", "erpsim")
ANA = Caller("ana")
ITEM, ENTRY = StrKey("ItemCode"), IntKey("DocEntry")
BOTH = pytest.mark.parametrize("version", ["v1", "v2"])


@contextlib.asynccontextmanager
async def open_both(
    *,
    version: str = "v1",
    switches: Switches | None = None,
    renewable: bool = True,
    clock: Clock | None = None,
    **settings: Any,
) -> AsyncIterator[tuple[Simulator, ErpClient]]:
    async with run_sim(switches=switches or Switches()) as sim:
        url = sim.url if version == "v1" else sim.url_v2
        defaults = {"timeout_s": 10.0, "connect_timeout_s": 2.0, "slow_call_s": 1e9}
        made = ErpSettings(url, **{**defaults, **settings})
        client = ErpClient(made, CREDENTIALS, renewable=renewable, clock=clock)
        async with client:
            yield sim, client


async def first_codes(client: ErpClient, count: int = 3) -> list[str]:
    query = ListQuery(select=("ItemCode",), orderby=("ItemCode",), top=count)
    return [row["ItemCode"] for row in json.loads((await client.list("Items", query, caller=ANA)).rows)]


async def rename(client: ErpClient, code: str, name: str, if_match: str | None = None) -> None:
    body = json.dumps({"ItemName": name}).encode()
    await client.modify("Items", ITEM.predicate(code), body, caller=ANA, if_match=if_match)


@BOTH
@pytest.mark.asyncio
async def test_pages_have_the_requested_length_and_count_all_matches(version: str) -> None:
    async with open_both(version=version) as (sim, client):
        query = ListQuery(select=("ItemCode",), orderby=("ItemCode",), top=50)
        page = await client.list("Items", query, caller=ANA, tagged=True)
        rows = json.loads(page.rows)
        assert len(rows) == min(50, page.count) > 20
        assert all(set(row) == {"odata.etag", "ItemCode"} for row in rows)
        rest = await client.list("Items", attrs.evolve(query, skip=50), caller=ANA)
        assert len(json.loads(rest.rows)) == page.count - 50
        assert sim.calls.of("POST", "Login")[0].status == 200


@BOTH
@pytest.mark.asyncio
async def test_a_tag_read_with_a_selection_is_valid_and_a_stale_one_is_refused(version: str) -> None:
    async with open_both(version=version) as (_, client):
        code = (await first_codes(client))[0]
        await rename(client, code, "uno")
        query = RecordQuery(select=("ItemName",))
        record = await client.get("Items", ITEM.predicate(code), query, caller=ANA, tagged=True)
        whole = await client.get("Items", ITEM.predicate(code), RecordQuery(), caller=ANA, tagged=True)
        assert record.etag == whole.etag != None  # noqa: E711  # chained on purpose
        assert json.loads(record.body) == {"odata.etag": record.etag, "ItemName": "uno"}
        assert not [name for name in json.loads(whole.body) if "context" in name or "metadata" in name]
        await rename(client, code, "dos", record.etag)
        with pytest.raises(ErpRefused) as caught:
            await rename(client, code, "tres", record.etag)
        assert (caught.value.status, caught.value.code) == (412, -2039)
        await rename(client, code, "cuatro", "*")


@BOTH
@pytest.mark.asyncio
async def test_an_erp_without_entity_tags_is_read_without_them(version: str) -> None:
    async with open_both(version=version, switches=Switches(entity_tags=False)) as (sim, client):
        query = ListQuery(select=("ItemCode",), top=2)
        for expected_calls in (2, 3):
            page = await client.list("Items", query, caller=ANA, tagged=True)
            assert all(set(row) == {"ItemCode"} for row in json.loads(page.rows))
            assert len(sim.calls.of("GET", "Items")) == expected_calls


@BOTH
@pytest.mark.asyncio
async def test_an_order_is_created_changed_and_cancelled(version: str) -> None:
    async with open_both(version=version) as (_, client):
        code = (await first_codes(client))[0]
        partners = await client.list(
            "BusinessPartners", ListQuery(select=("CardCode",), filter="CardType eq 'cCustomer'"), caller=ANA
        )
        order = {
            "CardCode": json.loads(partners.rows)[0]["CardCode"],
            "DocDueDate": "2026-12-31",
            "DocumentLines": [{"ItemCode": code, "Quantity": 2.50, "UnitPrice": 1234567.125}],
        }
        created = await client.create("Orders", json.dumps(order).encode(), caller=ANA)
        stored = json.loads(created.body)
        assert created.etag == stored["odata.etag"]
        assert stored["DocumentLines"][0]["Quantity"] == 2.5
        key = ENTRY.predicate(str(stored["DocEntry"]))
        await client.modify("Orders", key, b'{"Comments": "cambiado"}', caller=ANA, if_match=created.etag)
        reply = await client.action("Orders", key, "Cancel", b"", caller=ANA)
        assert reply.status == 204
        with pytest.raises(ErpRefused) as caught:
            await client.action("Orders", key, "Cancel", b"", caller=ANA)
        assert caught.value.status == 400
        after = json.loads((await client.get("Orders", key, RecordQuery(), caller=ANA)).body)
        assert (after["Comments"], after["Cancelled"]) == ("cambiado", "tYES")


@BOTH
@pytest.mark.parametrize("encoded_slash", [True, False])
@pytest.mark.parametrize("key", ["A/1", "a'b", "50%", "¿ñ?", "x#1", "a+b c", "(5)", "12/Cancel", "a\\b"])
@pytest.mark.asyncio
async def test_keys_with_any_characters_survive_a_round_trip(
    version: str, encoded_slash: bool, key: str
) -> None:
    async with open_both(version=version, switches=Switches(encoded_slash=encoded_slash)) as (_, client):
        body = json.dumps({"ItemCode": key, "ItemName": "de prueba"}).encode()
        with contextlib.suppress(ErpRefused):  # some are among the seed's own
            await client.create("Items", body, caller=ANA)
        record = await client.get(
            "Items",
            ITEM.predicate(key),
            RecordQuery(select=("ItemCode",)),
            caller=ANA,
            tagged=True,
            key_filter=ITEM.filter(key),
        )
        assert json.loads(record.body)["ItemCode"] == key
        assert record.etag is not None
        if encoded_slash or "/" not in key:
            await rename(client, key, "otro", record.etag)
        else:
            with pytest.raises(ErpKeyUnsupported):
                await rename(client, key, "otro", record.etag)


@pytest.mark.asyncio
async def test_a_key_that_resembles_an_action_is_a_key() -> None:
    async with open_both() as (sim, client):
        record = await client.get("Items", ITEM.predicate("12/Cancel"), RecordQuery(), caller=ANA)
        assert json.loads(record.body)["ItemCode"] == "12/Cancel"
        assert [call.path for call in sim.calls.of("GET")] == ["Items('12%2FCancel')"]


@BOTH
@pytest.mark.asyncio
async def test_the_erp_message_is_kept_in_both_error_formats(version: str) -> None:
    async with open_both(version=version) as (_, client):
        with pytest.raises(ErpRefused) as caught:
            await client.get("Items", ITEM.predicate("no-such-item"), RecordQuery(), caller=ANA)
        assert (caught.value.status, caught.value.code) == (404, -2028)
        assert "No matching records found" in caught.value.text
        with pytest.raises(ErpRefused) as caught:
            await client.list("Items", ListQuery(select=("Nonsense",)), caller=ANA)
        assert (caught.value.status, caught.value.code) == (400, -1000)
        with pytest.raises(ErpRefused) as caught:
            await client.list("Nonsense", ListQuery(), caller=ANA)
        assert caught.value.status == 400


@BOTH
@pytest.mark.asyncio
async def test_a_filter_finds_exactly_the_quoted_value(version: str) -> None:
    async with open_both(version=version) as (_, client):
        for code in await first_codes(client, 10):
            query = ListQuery(select=("ItemCode",), filter=f"ItemCode eq {quote_string(code)}")
            page = await client.list("Items", query, caller=ANA, case_insensitive=False)
            assert json.loads(page.rows)[0]["ItemCode"] == code
            assert page.count == 1


@BOTH
@pytest.mark.asyncio
async def test_a_service_call_returns_its_object(version: str) -> None:
    async with open_both(version=version) as (_, client):
        body = b'{"DocumentTypeParams":{"Document":"17"}}'
        reply = await client.call_service("SeriesService_GetDocumentSeries", body, caller=ANA)
        assert set(json.loads(reply.body)) == {"value"}
        info = await client.call_service("CompanyService_GetCompanyInfo", b"", caller=ANA)
        assert json.loads(info.body)["CompanyName"] == "Comercial Demo SpA"


@pytest.mark.asyncio
async def test_the_balancer_answers_a_ping_before_and_after_a_login() -> None:
    async with open_both() as (sim, client):
        assert (await client.ping()).pong
        await first_codes(client)
        assert (await client.ping()).pong
        assert len(sim.calls.of("POST", "Login")) == 1


@pytest.mark.asyncio
async def test_twenty_readers_with_an_expired_session_cause_one_login() -> None:
    async with open_both(max_concurrency=20) as (sim, client):
        await first_codes(client)
        sim.sessions.end_all()
        await asyncio.gather(
            *(client.list("Items", ListQuery(top=1, skip=skip), caller=ANA) for skip in range(20))
        )
        assert len(sim.calls.of("POST", "Login")) == 2


@pytest.mark.asyncio
async def test_an_idle_session_is_renewed_and_the_write_executed_once() -> None:
    async with open_both(switches=Switches(idle_timeout_s=2.0)) as (sim, client):
        codes = await first_codes(client)
        await asyncio.sleep(2.2)
        await rename(client, codes[0], "despierta")
        patches = sim.calls.of("PATCH")
        assert [call.status for call in patches] == [401, 204]


@pytest.mark.parametrize(
    "wrong",
    [
        attrs.evolve(CREDENTIALS, user="nobody"),
        attrs.evolve(CREDENTIALS, password="no"),
        attrs.evolve(CREDENTIALS, company_db="NO"),
    ],
    ids=["user", "password", "company"],
)
@BOTH
@pytest.mark.asyncio
async def test_wrong_credentials_are_tried_once(version: str, wrong: Credentials) -> None:
    async with run_sim() as sim:
        url = sim.url if version == "v1" else sim.url_v2
        async with ErpClient(ErpSettings(url, max_concurrency=4), wrong) as client:
            found = await asyncio.gather(
                *(client.list("Items", ListQuery(skip=skip), caller=ANA) for skip in range(30)),
                return_exceptions=True,
            )
        assert {type(error) for error in found} == {ErpLoginRejected}
        assert len(sim.calls.of("POST", "Login")) == len(sim.calls) == 1


@pytest.mark.asyncio
async def test_a_starting_company_is_not_a_refused_login() -> None:
    async with open_both() as (sim, client):
        sim.faults.add(company_unavailable())
        with pytest.raises(ErpServerError) as caught:
            await client.create("Items", b"{}", caller=ANA)
        assert (caught.value.code, caught.value.outcome) == (305, Outcome.NOT_DONE)
        await asyncio.sleep(1.05)
        assert await first_codes(client)


@pytest.mark.asyncio
async def test_the_route_cookie_is_kept_where_writes_require_it() -> None:
    async with open_both(switches=Switches(route_required=True)) as (_, client):
        code = (await first_codes(client))[0]
        for number in range(5):
            await rename(client, code, f"nombre {number}")


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (Drop(when=When.AFTER_WORK), ErpUnreachable),
        (Drop(when=When.AFTER_WORK, reset=False), ErpUnreachable),
        (Truncate(keep_bytes=40), ErpReplyUnreadable),
        (Garbage(), ErpReplyUnreadable),
        (GzipBomb(unpacked_bytes=40_000_000), ErpReplyUnreadable),
        (Oversize(size_bytes=5_000_000), ErpReplyUnreadable),
        (Hang(after_bytes=40, seconds=5.0), ErpTimeout),
        (BadGateway(when=When.AFTER_WORK), ErpServerError),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.asyncio
async def test_a_create_with_a_lost_response_makes_one_record_with_unknown_outcome(
    action: Any, kind: type[ErpError]
) -> None:
    timeout_s = 1.0 if isinstance(action, Hang) else 30.0
    async with open_both(timeout_s=timeout_s, max_reply_bytes=1_000_000) as (sim, client):
        await first_codes(client)
        sim.faults.add(Fault(action=action, method="POST", path="Items"))
        with pytest.raises(kind) as caught:
            await client.create("Items", b'{"ItemCode": "una-vez", "ItemName": "una vez"}', caller=ANA)
        assert caught.value.outcome is Outcome.UNKNOWN
        assert [call.worked for call in sim.calls.of("POST", "Items")] == [True]
        query = ListQuery(filter="ItemCode eq 'una-vez'", select=("ItemCode",))
        assert (await client.list("Items", query, caller=ANA)).count == 1


@pytest.mark.parametrize("reset", [True, False])
@pytest.mark.asyncio
async def test_a_read_survives_one_lost_connection(reset: bool) -> None:
    async with open_both() as (sim, client):
        await first_codes(client)
        sim.faults.add(Fault(action=Drop(reset=reset), method="GET", path="Items"))
        assert await first_codes(client)
        assert len(sim.calls.of("GET", "Items")) == 3


@pytest.mark.asyncio
async def test_connections_closed_by_the_server_disturb_neither_reads_nor_writes() -> None:
    async with open_both() as (sim, client):
        code = (await first_codes(client))[0]
        for number in range(10):
            sim.faults.add(Fault(action=CutAfterAnswer()))
            await rename(client, code, f"nombre {number}")
            assert await first_codes(client)
            sim.cut_idle_connections()
        assert all(call.worked for call in sim.calls.of("PATCH"))


@pytest.mark.asyncio
async def test_a_session_ended_from_outside_is_renewed_during_work() -> None:
    async with open_both(max_concurrency=2) as (sim, client):
        sim.faults.add(Fault(action=ExpireSession(everyone=True), path="Items*", nth=5))
        sim.faults.add(Fault(action=ExpireSession(everyone=True), path="Items*", nth=17))
        await asyncio.gather(
            *(client.list("Items", ListQuery(top=1, skip=skip), caller=ANA) for skip in range(30))
        )
        assert len(sim.calls.of("POST", "Login")) == 3
        assert sim.calls.max_in_flight <= 2


@pytest.mark.asyncio
async def test_the_penalty_for_parallel_calls_is_never_paid() -> None:
    async with open_both(switches=Switches(parallel_penalty_s=30.0)) as (sim, client):
        started = time.monotonic()
        reads: list[Callable[[int], Awaitable[object]]] = [
            lambda skip: client.list("Items", ListQuery(top=1, skip=skip), caller=Caller(f"user{skip}")),
            lambda skip: client.get("Items", ITEM.predicate(f"none{skip}"), RecordQuery(), caller=ANA),
        ]
        await asyncio.gather(*(reads[skip % 2](skip) for skip in range(40)), return_exceptions=True)
        assert time.monotonic() - started < 30
        assert sim.calls.max_in_flight == 1


@pytest.mark.asyncio
async def test_closing_the_client_logs_out_of_the_erp() -> None:
    async with run_sim() as sim:
        async with ErpClient(ErpSettings(sim.url), CREDENTIALS) as client:
            await first_codes(client)
        assert sim.calls[-1].path == "Logout"
        assert sim.calls[-1].status == 204
        assert len(sim.calls.of("POST", "Logout")) == 1


@pytest.mark.asyncio
async def test_a_personal_session_ends_when_the_erp_ends_it() -> None:
    async with open_both(renewable=False) as (sim, client):
        await client.log_in()
        assert await first_codes(client)
        sim.sessions.end_all()
        with pytest.raises(SessionEnded):
            await first_codes(client)
        assert len(sim.calls.of("POST", "Login")) == 1


ALWAYS_401 = Refuse(status=401, code=301, text="Invalid session or session already timeout.")

Ask: TypeAlias = Callable[[ErpClient], Awaitable[object]]
CALLS: dict[str, Ask] = {
    "Warehouses": lambda client: client.list("Warehouses", ListQuery(), caller=ANA),
    "Items('A*2')": lambda client: client.get("Items", ITEM.predicate("A/2"), RecordQuery(), caller=ANA),
    "Orders(1)/Cancel": lambda client: client.action(
        "Orders", ENTRY.predicate("1"), "Cancel", b"", caller=ANA
    ),
    "Orders": lambda client: client.create("Orders", b"{}", caller=ANA),
}


@BOTH
@pytest.mark.parametrize("path", CALLS)
@pytest.mark.asyncio
async def test_a_call_that_always_gets_401_does_not_stop_other_renewals(version: str, path: str) -> None:
    clock = ManualClock()
    async with open_both(version=version, clock=clock) as (sim, client):
        await first_codes(client)
        sim.faults.add(Fault(action=ALWAYS_401, path=path, times=None))

        async def fail() -> None:
            with pytest.raises(ErpLoginRejected) as caught:
                await CALLS[path](client)
            assert (caught.value.code, caught.value.outcome) == (301, Outcome.NOT_DONE)

        def logins() -> int:
            return len(sim.calls.of("POST", "Login"))

        for number in range(3):
            await fail()
            assert logins() == 2 + number, "one login for the call, and one for each session that ended"
            sim.sessions.end_all()
            await fail()
            assert logins() == 2 + number
            assert await first_codes(client)
            assert logins() == 3 + number
        assert client.login_failure is None
        clock.advance(5)
        await fail()
        assert logins() == 6
        clock.advance(9)
        await fail()
        assert logins() == 6, "the pause has doubled"


@pytest.mark.asyncio
async def test_many_records_that_get_401_cost_a_few_logins_only() -> None:
    clock = ManualClock()
    async with open_both(clock=clock) as (sim, client):
        await first_codes(client)
        sim.faults.add(Fault(action=ALWAYS_401, path="Orders(*", times=None))
        for number in range(30):
            with pytest.raises(ErpLoginRejected):
                await client.get("Orders", ENTRY.predicate(str(number)), RecordQuery(), caller=ANA)
            assert await first_codes(client)
        assert len(sim.calls.of("POST", "Login")) == 1 + 3
        sim.sessions.end_all()
        assert await first_codes(client)
        assert len(sim.calls.of("POST", "Login")) == 1 + 3 + 1


@pytest.mark.asyncio
async def test_sessions_that_no_call_is_served_in_stop_all_logins_for_a_while() -> None:
    clock = ManualClock()
    async with open_both(clock=clock) as (sim, client):
        sim.faults.add(Fault(action=ALWAYS_401, method="GET", times=None))

        async def ask_all() -> None:
            for resource in ("Items", "Orders", "Warehouses", "BusinessPartners", "Invoices"):
                with pytest.raises(ErpLoginRejected):
                    await client.list(resource, ListQuery(), caller=ANA)

        await ask_all()
        assert len(sim.calls.of("POST", "Login")) == 1 + 3
        assert isinstance(client.login_failure, ErpLoginRejected)
        await ask_all()
        assert len(sim.calls.of("POST", "Login")) == 1 + 3
        clock.advance(4.9)
        await ask_all()
        assert len(sim.calls.of("POST", "Login")) == 1 + 3
        sim.faults.clear()
        assert await first_codes(client)
        assert client.login_failure is None


@pytest.mark.asyncio
async def test_a_refused_login_is_retried_after_5_s_doubling_for_any_call() -> None:
    clock = ManualClock()
    async with open_both(clock=clock) as (sim, client):
        await first_codes(client)
        sim.faults.add(
            Fault(action=Refuse(status=401, code=100000027, text="Login failed"), path="Login", times=None)
        )
        sim.sessions.end_all()
        for attempts, pause_s in enumerate((5, 10, 20), start=1):
            for resource in ("Items", "Orders", "Warehouses", "Invoices"):
                with pytest.raises(ErpLoginRejected):
                    await client.list(resource, ListQuery(), caller=ANA)
            assert len(sim.calls.of("POST", "Login")) == 1 + attempts
            clock.advance(pause_s)
