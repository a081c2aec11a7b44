"""Long exports through the whole service, on a simulated report gateway: 202, progress, result, end."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from erpsim.faults import Delay, Fault, Hang
from erpsim.process.ports import Listening
from erpsim.report_gateway import ReportGateway
from erpsim.report_gateway.faults import export_failed, no_pdf
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

ORDERS = "/ventas/pedidos"
ORDER = "RDR20001"
STOCK = "RCRI0002"
EXPORT = "rs/v1/ExportPDFData"
ASYNC = {"Prefer": "respond-async"}
NEVER_IN_A_TEST_S = 120
LISTENING_S = 0.5
"""After so long a request that was sent has surely come to its stream; what it listens to hangs meanwhile."""


class Printing:
    """The application with a report gateway in which an order's format is registered."""

    def __init__(self, gateway: "Gateway", upstream: ReportGateway) -> None:
        self.gateway = gateway
        self.upstream = upstream
        self.ana: dict[str, str] = {}
        self.luis: dict[str, str] = {}

    async def prepare(self) -> None:
        self.ana, self.luis = await self.gateway.signed_in(), await self.gateway.signed_in("luis")
        for code, documents in ((ORDER, [{"screen": ORDERS, "default": True}]), (STOCK, [])):
            found = await self.ask("GET", f"gateway/authorized/{code}/parameters")
            body = {"title": f"Informe {code}", "category": "", "enabled": True, "documents": documents}
            registered = await self.ask(
                "PUT", f"gateway/registry/{code}", json={**body, "parameters": found.json()["parameters"]}
            )
            assert registered.status_code == 200, registered.text

    async def ask(
        self, method: str, path: str, *, by: str = "ana", headers: dict[str, str] | None = None, **more: Any
    ) -> "httpx2.Response":
        sent = {**getattr(self, by), **(headers or {})}
        return await self.gateway.http.request(method, f"/api/{path}", headers=sent, **more)

    async def print(
        self, *doc_entries: int, by: str = "ana", headers: dict[str, str] | None = None, **body: Any
    ) -> "httpx2.Response":
        which = {"docEntry": doc_entries[0]} if len(doc_entries) == 1 else {"docEntries": list(doc_entries)}
        params = {"screen": ORDERS, "code": ORDER, **which, **body}
        return await self.ask(
            "POST",
            "gateway/documents/export",
            by=by,
            headers=ASYNC if headers is None else headers,
            json=params,
        )

    async def reason(self, doc_entry: int) -> str:
        """Have a document printed that fails, and return why, told at once or by a job."""
        answer = await self.print(doc_entry)
        if answer.status_code != 202:
            return str(answer.json()["code"])
        job = await self.ended(answer.json()["id"])
        await self.ask("DELETE", f"jobs/{job['id']}")
        return str(job["error"]["code"])

    async def begun(self, *doc_entries: int, by: str = "ana") -> str:
        """Have documents printed by a job, and return the job's identifier."""
        answer = await self.print(*doc_entries, by=by)
        assert answer.status_code == 202, answer.text
        identifier: str = answer.json()["id"]
        return identifier

    async def ended(self, identifier: str, by: str = "ana") -> dict[str, Any]:
        """Wait for a job's end and return what is told of it."""
        await self.events(identifier, by=by)
        job: dict[str, Any] = (await self.ask("GET", f"jobs/{identifier}", by=by)).json()
        return job

    async def events(self, identifier: str, by: str = "ana") -> list[tuple[str, dict[str, Any]]]:
        """Listen until a job ends."""
        answer = await self.ask("GET", f"jobs/{identifier}", by=by, headers={"Accept": "text/event-stream"})
        events = [part.split("\ndata: ") for part in answer.text.split("\n\n") if part and part[0] != ":"]
        return [(name.removeprefix("event: "), json.loads(data)) for name, data in events]

    def hold(self, *, nth: int = 1) -> None:
        """Have an export hang."""
        action = Delay(seconds=NEVER_IN_A_TEST_S)
        self.upstream.faults.add(Fault(action=action, path=EXPORT, nth=nth))

    async def audited(self) -> list[dict[str, Any]]:
        page = await self.ask("GET", "audit?accion=report_export")
        items: list[dict[str, Any]] = page.json()["items"]
        return items


Opened = Callable[..., AbstractAsyncContextManager[Printing]]


@pytest.fixture
def opened(open_gateway: "OpenGateway") -> Opened:
    """Return what opens the application with further settings."""

    @asynccontextmanager
    async def opening(**settings: str) -> AsyncIterator[Printing]:
        async with run_sim(listening=Listening(report_gateway_port=0)) as sim:
            assert sim.report_gateway is not None
            login = {
                "APIGATEWAY_URL": sim.report_gateway.url + "/",
                "APIGATEWAY_COMPANY_DB": "SBO_DEMO",
                "APIGATEWAY_USER": "manager",
                "APIGATEWAY_PASSWORD": "erpsim",
            }
            async with open_gateway(sim, **{**login, **settings}) as gateway:
                printing = Printing(gateway, sim.report_gateway)
                await printing.prepare()
                yield printing

    return opening


@pytest_asyncio.fixture
async def printing(opened: Opened) -> AsyncIterator[Printing]:
    async with opened() as running:
        yield running


def texts_of(pdf: bytes) -> list[str]:
    """Return the text of each page."""
    document = pypdfium2.PdfDocument(BytesIO(pdf))
    try:
        return [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()


def code_of(answer: "httpx2.Response") -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# ------------------------------------------------------------------ one document, or a report


@pytest.mark.asyncio
async def test_a_job_returns_the_same_result_as_the_direct_request(printing: Printing) -> None:
    usual = await printing.print(1, headers={})
    answer = await printing.print(1)
    assert answer.status_code == 202
    assert answer.headers["Preference-Applied"] == "respond-async"
    assert answer.headers["Location"] == f"/api/jobs/{answer.json()['id']}"
    job = await printing.ended(answer.json()["id"])
    assert (job["kind"], job["state"], job["done"], job["total"]) == ("document", "done", 1, 1)
    assert (job["title"], job["error"]) == (f"Informe {ORDER}", None)
    made = await printing.gateway.http.get(job["result"], headers=printing.ana)
    assert made.headers["Content-Type"] == "application/pdf"
    assert made.headers["Content-Disposition"] == usual.headers["Content-Disposition"]
    assert made.headers["Content-Length"] == str(len(made.content))
    assert texts_of(made.content) == texts_of(usual.content)
    assert [(item["result"], item["key"]) for item in await printing.audited()] == [("ok", "1")] * 2


@pytest.mark.asyncio
async def test_without_the_preference_the_response_is_direct(printing: Printing) -> None:
    answer = await printing.print(1, headers={"Prefer": "return=minimal"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert (await printing.ask("GET", "jobs")).json() == {"items": []}


@pytest.mark.asyncio
async def test_a_general_report_is_exported_by_a_job(printing: Printing) -> None:
    values = {"warehouse@Select * from OWHS": "01", "Fecha": "2026-01-31"}
    path = f"gateway/reports/{STOCK}/export"
    usual = await printing.ask("POST", path, json={"values": values})
    answer = await printing.ask("POST", path, json={"values": values}, headers=ASYNC)
    assert (usual.status_code, answer.status_code) == (200, 202), usual.text
    job = await printing.ended(answer.json()["id"])
    assert (job["kind"], job["state"]) == ("report", "done")
    made = await printing.gateway.http.get(job["result"], headers=printing.ana)
    assert texts_of(made.content) == texts_of(usual.content)


@pytest.mark.asyncio
async def test_an_immediate_failure_is_answered_directly_and_leaves_no_job(printing: Printing) -> None:
    assert code_of(await printing.print(1, code="NOPE")) == (404, "report_not_found")
    assert code_of(await printing.print(0)) == (400, "invalid_body")
    assert code_of(await printing.print(1, screen="/x/*")) == (400, "invalid_body")
    assert code_of(await printing.print(1, by="luis")) == (403, "permission_denied")
    printing.upstream.faults.add(export_failed("No existe un formato"))
    assert await printing.reason(1) == "report_failed"
    assert (await printing.ask("GET", "jobs")).json() == {"items": []}


@pytest.mark.asyncio
async def test_a_later_failure_is_reported_by_the_job(printing: Printing) -> None:
    printing.upstream.faults.add(Fault(action=Hang(after_bytes=9, seconds=1), path=EXPORT, times=2))
    identifier = await printing.begun(1)
    early = await printing.ask("GET", f"jobs/{identifier}/result")
    assert code_of(early) == (409, "job_not_done")
    job = await printing.ended(identifier)
    assert (job["state"], job["error"]["code"], job["result"]) == ("failed", job["error"]["code"], None)
    refused = await printing.ask("GET", f"jobs/{identifier}/result")
    assert code_of(refused) == (409, "job_failed")
    assert job["error"]["message"] in refused.json()["detail"]
    (record,) = await printing.audited()
    assert (record["result"], record["reason"]) == ("error", job["error"]["code"])


# ------------------------------------------------------------------ several documents


@pytest.mark.asyncio
async def test_several_documents_become_one_pdf_in_the_requested_order(printing: Printing) -> None:
    alone = {entry: texts_of((await printing.print(entry, headers={})).content) for entry in (1, 2, 3)}
    answer = await printing.print(3, 1, 2, headers={})
    assert answer.status_code == 200, answer.text
    assert texts_of(answer.content) == [*alone[3], *alone[1], *alone[2]]
    assert "Informe%20RDR20001%20%283%29.pdf" in answer.headers["Content-Disposition"]
    assert [item["key"] for item in (await printing.audited())[:3]] == ["2", "1", "3"]
    identifier = await printing.begun(3, 1, 2)
    job = await printing.ended(identifier)
    assert (job["state"], job["done"], job["total"]) == ("done", 3, 3)
    made = await printing.gateway.http.get(job["result"], headers=printing.ana)
    assert texts_of(made.content) == [*alone[3], *alone[1], *alone[2]]


@pytest.mark.asyncio
async def test_progress_is_sent_as_events_and_a_disconnect_does_not_end_the_job(printing: Printing) -> None:
    printing.upstream.faults.add(Fault(action=Delay(seconds=0.5), path=EXPORT, times=None))
    identifier = await printing.begun(1, 2, 3)
    listening = asyncio.ensure_future(printing.events(identifier))
    await asyncio.sleep(0.1)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    events = await printing.events(identifier)
    assert [name for name, _ in events] == ["progreso"] * 4 + ["resultado"]
    assert [job["done"] for _, job in events] == [0, 1, 2, 3, 3]
    assert events[-1][1]["result"] == f"/api/jobs/{identifier}/result"


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", [{}, ASYNC])
async def test_a_failed_document_is_named_and_no_pdf_is_returned(
    printing: Printing, headers: dict[str, str]
) -> None:
    printing.upstream.faults.add(Fault(action=Delay(seconds=0.5), path=EXPORT))
    fault = export_failed("No existe un formato")
    printing.upstream.faults.add(Fault(action=fault.action, method="POST", path=EXPORT, nth=2))
    answer = await printing.print(1, 2, 3, headers=headers)
    if headers:
        assert answer.status_code == 202, answer.text
        identifier = answer.json()["id"]
        name, problem = (await printing.events(identifier))[-1]
        assert (name, problem["code"]) == ("error", "document_failed")
        job = await printing.ended(identifier)
        assert (job["state"], job["error"]["code"], job["result"]) == ("failed", "document_failed", None)
        assert "documento 2" in job["error"]["message"]
        refused = await printing.ask("GET", f"jobs/{identifier}/result")
        assert code_of(refused) == (409, "job_failed")
        assert "documento 2" in refused.json()["detail"]
    else:
        problem = answer.json()
        assert code_of(answer) == (502, "document_failed")
    assert problem["errors"][0]["path"] == "docEntries[1]"
    assert [item["key"] for item in await printing.audited()] == ["2", "1"]
    assert printing.gateway.components.exporter.budget.held == 0


@pytest.mark.asyncio
async def test_a_document_that_is_no_pdf_is_named(printing: Printing) -> None:
    fault = no_pdf("%PDF-1.4\nnothing\n%%EOF")
    printing.upstream.faults.add(Fault(action=fault.action, method="POST", path=EXPORT, nth=3))
    answer = await printing.print(1, 2, 3, headers={})
    assert code_of(answer) == (502, "document_failed")
    assert "documento 3" in answer.json()["detail"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({"docEntries": []}, ["docEntries"]),
        ({"docEntries": list(range(1, 52))}, ["docEntries"]),
        ({"docEntries": [1, 0, 2**31]}, ["docEntries[1]", "docEntries[2]"]),
        ({"docEntries": [1, 2, 1]}, ["docEntries[2]"]),
        ({"docEntries": ["1"]}, ["docEntries[0]"]),
        ({"docEntries": [1], "docEntry": 1}, ["docEntry"]),
        ({}, ["docEntry"]),
    ],
)
async def test_an_invalid_list_of_documents_is_refused(
    printing: Printing, body: dict[str, Any], paths: list[str]
) -> None:
    params = {"screen": ORDERS, "code": ORDER, **body}
    answer = await printing.ask("POST", "gateway/documents/export", json=params)
    assert code_of(answer) == (400, "invalid_body")
    assert [problem["path"] for problem in answer.json()["errors"]] == paths
    assert printing.upstream.exports == []


@pytest.mark.asyncio
async def test_a_client_disconnect_stops_printing_further_documents(printing: Printing) -> None:
    printing.upstream.faults.add(Fault(action=Delay(seconds=0.3), path=EXPORT, times=None))
    await asked_by_hand(printing, {"screen": ORDERS, "code": ORDER, "docEntries": list(range(1, 13))})
    items = await printing.audited()
    assert 1 <= len(items) <= 3
    assert items[0]["reason"] == "interrupted"
    assert len(printing.upstream.exports) <= len(items)
    assert printing.gateway.components.exporter.budget.held == 0


async def asked_by_hand(printing: Printing, body: dict[str, Any]) -> None:
    """Request a print and disconnect while its first document is made."""
    waiting = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

    async def receive() -> Any:
        if waiting:
            return waiting.pop()
        while not printing.upstream.calls.of("POST", EXPORT):  # noqa: ASYNC110 - the simulator tells nobody
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        pass

    path = "/api/gateway/documents/export"
    await printing.gateway.post_by_hand(path, printing.ana, receive, send)


# ------------------------------------------------------------------ whose it is, and for how long


@pytest.mark.asyncio
async def test_a_job_belongs_to_its_owner_and_outlives_the_session(printing: Printing) -> None:
    identifier = await printing.begun(1)
    await printing.ended(identifier)
    for method, path in (("GET", ""), ("GET", "/result"), ("DELETE", "")):
        other = await printing.ask(method, f"jobs/{identifier}{path}", by="luis")
        assert code_of(other) == (404, "job_not_found")
    assert (await printing.ask("GET", "jobs", by="luis")).json() == {"items": []}
    await printing.ask("POST", "auth/logout")
    assert (await printing.ask("GET", f"jobs/{identifier}/result")).status_code == 401
    printing.ana = await printing.gateway.signed_in()
    assert [job["id"] for job in (await printing.ask("GET", "jobs")).json()["items"]] == [identifier]
    assert (await printing.ask("GET", f"jobs/{identifier}/result")).status_code == 200


@pytest.mark.asyncio
async def test_a_job_stays_queued_after_its_client_disconnects(opened: Opened) -> None:
    async with opened(APIGATEWAY_MAX_CONCURRENCY="1") as printing:
        printing.upstream.faults.add(Fault(action=Delay(seconds=1.5), path=EXPORT))
        first, second = await printing.begun(1), await printing.begun(2)
        assert [(await printing.ended(each))["state"] for each in (first, second)] == ["done", "done"]


@pytest.mark.asyncio
async def test_fetching_a_result_checks_the_right_again(printing: Printing) -> None:
    await printing.ask("PUT", "permissions/luis", json={"paths": [ORDERS]})
    identifier = await printing.begun(1, by="luis")
    await printing.ended(identifier, by="luis")
    assert (await printing.ask("GET", f"jobs/{identifier}/result", by="luis")).status_code == 200
    await printing.ask("DELETE", "permissions/luis")
    refused = await printing.ask("GET", f"jobs/{identifier}/result", by="luis")
    assert code_of(refused) == (403, "permission_denied")


@pytest.mark.asyncio
async def test_fetching_a_document_printed_by_a_report_requires_its_screen(
    printing: Printing,
) -> None:
    run = "/reportes/ejecutar"
    await printing.ask("PUT", "permissions/luis", json={"paths": [run, ORDERS]})
    body = {"values": {"DocKey@": 1}}
    answer = await printing.ask(
        "POST", f"gateway/reports/{ORDER}/export", by="luis", json=body, headers=ASYNC
    )
    identifier = answer.json()["id"]
    await printing.ended(identifier, by="luis")
    for paths, expected in (([run, ORDERS], 200), ([run], 403), ([ORDERS], 403)):
        await printing.ask("PUT", "permissions/luis", json={"paths": paths})
        fetched = await printing.ask("GET", f"jobs/{identifier}/result", by="luis")
        assert fetched.status_code == expected
    assert [item["key"] for item in await printing.audited()] == ["1"]


@pytest.mark.asyncio
async def test_a_result_is_deleted_after_its_retention_time(printing: Printing, clock: ManualClock) -> None:
    budget = printing.gateway.components.exporter.budget
    identifier = await printing.begun(1)
    job = await printing.ended(identifier)
    assert (job["endedAt"], job["expiresAt"]) == ("2026-03-02T14:05:09.120Z", "2026-03-02T14:20:09.120Z")
    clock.advance(15 * 60 - 1)
    printing.ana = await printing.gateway.signed_in()
    made = await printing.ask("GET", f"jobs/{identifier}/result")
    assert budget.held == len(made.content) > 0
    clock.advance(1)
    assert code_of(await printing.ask("GET", f"jobs/{identifier}/result")) == (404, "job_not_found")
    assert budget.held == 0


@pytest.mark.asyncio
async def test_a_deleted_job_ends_and_releases_its_memory(printing: Printing) -> None:
    printing.hold()
    running = await printing.begun(1)
    listening = asyncio.ensure_future(printing.events(running))
    await asyncio.sleep(LISTENING_S)
    assert (await printing.ask("DELETE", f"jobs/{running}")).status_code == 204
    assert [(name, problem["code"]) for name, problem in (await listening)[-1:]] == [
        ("error", "job_cancelled")
    ]
    assert code_of(await printing.ask("GET", f"jobs/{running}")) == (404, "job_not_found")
    (record,) = await printing.audited()
    assert (record["result"], record["reason"]) == ("error", "interrupted")
    done = await printing.begun(1)
    await printing.ended(done)
    await printing.ask("DELETE", f"jobs/{done}")
    assert printing.gateway.components.exporter.budget.held == 0


@pytest.mark.asyncio
async def test_jobs_per_user_are_limited(opened: Opened) -> None:
    async with opened(EXPORT_JOBS_PER_USER="2") as printing:
        first = await printing.begun(1)
        await printing.begun(2)
        refused = await printing.print(3)
        assert code_of(refused) == (429, "too_many_jobs")
        assert "Retry-After" in refused.headers
        await printing.ask("DELETE", f"jobs/{first}")
        await printing.begun(3)


@pytest.mark.asyncio
async def test_results_share_the_room_of_all_exports(opened: Opened) -> None:
    async with opened(EXPORT_SPOOL_MB="1") as printing:
        budget = printing.gateway.components.exporter.budget
        others = budget.share()
        others.resize(budget.max_bytes - 100)
        assert await printing.reason(1) == "export_no_room"
        assert code_of(await printing.print(1, 2, headers={})) == (503, "export_no_room")
        others.release()
        await printing.begun(1, 2)


@pytest.mark.asyncio
async def test_a_stopping_service_ends_jobs_with_shutting_down(printing: Printing) -> None:
    printing.hold(nth=2)
    identifier = await printing.begun(1, 2)
    listening = asyncio.ensure_future(printing.events(identifier))
    while (await printing.ask("GET", f"jobs/{identifier}")).json()["done"] == 0:  # noqa: ASYNC110 - told by HTTP
        await asyncio.sleep(0.02)
    await asyncio.sleep(LISTENING_S)
    with capture_logs() as logs:
        printing.gateway.components.drain()
        result = await listening
    assert [name for name, _ in result] == ["progreso", "progreso", "error"]
    assert result[-1][1]["code"] == "shutting_down"
    assert [line["outcome"] for line in logs if line["event"] == "job_ended"] == ["shutting_down"]
    assert code_of(await printing.print(1)) == (503, "shutting_down")
    assert [(item["key"], item["result"], item["reason"]) for item in await printing.audited()] == [
        ("2", "error", "interrupted"),
        ("1", "ok", None),
    ]


@pytest.mark.asyncio
async def test_a_stopped_service_releases_all_job_memory(opened: Opened) -> None:
    async with opened() as printing:
        await printing.ended(await printing.begun(1))
        printing.hold()
        await printing.begun(2)
        budget = printing.gateway.components.exporter.budget
        assert budget.held > 0
    assert budget.held == 0


@pytest.mark.asyncio
async def test_a_listener_receives_session_expired_after_a_new_sign_in(printing: Printing) -> None:
    printing.hold(nth=2)
    identifier = await printing.begun(1, 2)
    listening = asyncio.create_task(printing.events(identifier))
    await asyncio.sleep(LISTENING_S)
    printing.ana = await printing.gateway.signed_in()  # ends the session that listens
    assert (await printing.ask("DELETE", f"jobs/{identifier}")).status_code == 204
    name, problem = (await listening)[-1]
    assert (name, problem["code"], problem["status"]) == ("error", "session_expired", 401)


# ------------------------------------------------------------------ what is taken away meanwhile


async def sign_out(printing: Printing) -> None:
    await printing.ask("POST", "auth/logout", by="luis")


async def sign_out_and_in(printing: Printing) -> None:
    await sign_out(printing)
    printing.luis = await printing.gateway.signed_in("luis")


async def end_session(printing: Printing) -> None:
    await printing.ask("DELETE", "sessions/luis")


async def take_right(printing: Printing) -> None:
    await printing.ask("PUT", "permissions/luis", json={"paths": ["/compras/*"]})


async def delete_permissions(printing: Printing) -> None:
    await printing.ask("DELETE", "permissions/luis")


async def expire(printing: Printing) -> None:
    clock = printing.gateway.components.sessions._clock
    assert isinstance(clock, ManualClock)
    clock.advance(31 * 60)


Loss = Callable[[Printing], Awaitable[None]]

LOSSES = [
    (sign_out, "session_expired"),
    (sign_out_and_in, "session_expired"),
    (end_session, "session_expired"),
    (expire, "session_expired"),
    (take_right, "permission_denied"),
    (delete_permissions, "permission_denied"),
]


async def until_begun(printing: Printing, exports: int) -> None:
    async with asyncio.timeout(NEVER_IN_A_TEST_S):
        while len(printing.upstream.calls.of("POST", EXPORT)) < exports:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("lose", "code"), LOSSES)
@pytest.mark.asyncio
async def test_a_print_job_stops_after_its_owner_loses_session_or_right(
    printing: Printing, lose: Loss, code: str
) -> None:
    await printing.ask("PUT", "permissions/luis", json={"paths": [ORDERS]})
    printing.upstream.faults.add(Fault(action=Delay(seconds=0.3), path=EXPORT, times=None))
    identifier = await printing.begun(*range(1, 13), by="luis")
    job = printing.gateway.components.jobs.find(identifier, "luis")
    listening = asyncio.create_task(printing.events(identifier, by="luis"))
    await until_begun(printing, 2)
    begun = len(printing.upstream.calls.of("POST", EXPORT))
    await lose(printing)
    assert await job.work.ended_within(NEVER_IN_A_TEST_S)
    assert job.error is not None
    assert job.error.code == code
    assert len(printing.upstream.calls.of("POST", EXPORT)) <= begun + 1
    assert job.file is None
    name, problem = (await listening)[-1]
    assert (name, problem["code"]) == ("error", code)


@pytest.mark.parametrize(("lose", "code"), LOSSES)
@pytest.mark.asyncio
async def test_a_job_in_one_long_document_is_abandoned_after_the_right_is_lost(
    printing: Printing, lose: Loss, code: str
) -> None:
    await printing.ask("PUT", "permissions/luis", json={"paths": [ORDERS]})
    printing.hold()
    identifier = await printing.begun(1, by="luis")
    job = printing.gateway.components.jobs.find(identifier, "luis")
    await lose(printing)
    assert await job.work.ended_within(NEVER_IN_A_TEST_S / 2)
    assert job.error is not None
    assert job.error.code == code


@pytest.mark.asyncio
async def test_a_job_continues_after_a_new_sign_in_of_its_owner(printing: Printing) -> None:
    printing.upstream.faults.add(Fault(action=Delay(seconds=0.3), path=EXPORT, times=None))
    identifier = await printing.begun(1, 2, 3)
    listening = asyncio.create_task(printing.events(identifier))
    await until_begun(printing, 1)
    printing.ana = await printing.gateway.signed_in()
    name, problem = (await listening)[-1]
    assert (name, problem["code"]) == ("error", "session_expired")
    assert (await printing.ended(identifier))["state"] == "done"


@pytest.mark.parametrize(("lose", "code"), LOSSES)
@pytest.mark.asyncio
async def test_a_direct_print_stops_after_its_user_loses_session_or_right(
    printing: Printing, lose: Loss, code: str
) -> None:
    await printing.ask("PUT", "permissions/luis", json={"paths": [ORDERS]})
    printing.upstream.faults.add(Fault(action=Delay(seconds=0.3), path=EXPORT, times=None))
    waiting = asyncio.create_task(printing.print(*range(1, 13), by="luis", headers={}))
    await until_begun(printing, 2)
    begun = len(printing.upstream.calls.of("POST", EXPORT))
    await lose(printing)
    assert (await waiting).json()["code"] == code
    assert len(printing.upstream.calls.of("POST", EXPORT)) <= begun + 1
