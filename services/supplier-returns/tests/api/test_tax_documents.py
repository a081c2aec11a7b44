"""Joined PDF through the whole application, with the simulated company and provider."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pikepdf
import pypdfium2  # type: ignore[import-untyped, unused-ignore]  # the package has no types
import pytest
import pytest_asyncio
import structlog
from attrs import frozen

from erpclient import Caller
from erpclient.tax_documents import TaxDocumentKey, TaxDocuments
from erpsim.company.clock import SystemClock
from erpsim.company.switches import Switches, TaxAnswer
from erpsim.desk import Desk
from erpsim.faults import Delay, Drop, Fault
from erpsim.process.certificates import load_or_create
from erpsim.process.ports import Listening
from erpsim.simulator import Simulator, run_sim
from erpsim.tax_documents import TaxDocumentService
from servicekit.pdfs.processes import Joining
from supplier_returns.components import tax_settings
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.tax_documents.errors import TaxDocumentFailed
from supplier_returns.tax_documents.provider import read_provider
from supplier_returns.tax_documents.service import DISPATCH_GUIDE, DownloadRequest, DownloadSources
from supplier_returns.tax_documents.service import TaxDocumentService as TaxDocumentDownloads

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = [pytest.mark.asyncio, pytest.mark.check]

PLANNINGS = "/api/planificaciones"
PASSWORD = "dte-demo"
LISTENING = Listening(tax_documents_port=0)
GRANTED = frozenset({"bodega:DP_Stock", "bodega:DP_EntradasAbiertas"})
WRONG_ANSWERS = {
    TaxAnswer.NOT_READY: "document_not_ready",
    TaxAnswer.NO_SUCH_DOCUMENT: "document_unknown",
    TaxAnswer.NO_PDF: "document_broken",
    TaxAnswer.EMPTY_PDF: "document_broken",
    TaxAnswer.HTML_AS_PDF: "document_broken",
    TaxAnswer.CUT_PDF: "document_broken",
    TaxAnswer.BROKEN_BASE64: "document_broken",
    TaxAnswer.OTHER_DOCUMENT: "document_mistaken",
    TaxAnswer.EMPTY_RESULT: "answer_unreadable",
    TaxAnswer.FAULT: "fault",
    TaxAnswer.HTML: "answer_unreadable",
    TaxAnswer.HTML_502: "failed",
    TaxAnswer.REDIRECT: "failed",
    TaxAnswer.DTD: "answer_unreadable",
    TaxAnswer.ENTITY_BOMB: "answer_unreadable",
}


@frozen
class Executed:
    """A planning with its documents in the ERP, and the provider that prints them."""

    service: "Service"
    client: httpx2.AsyncClient
    detail: dict[str, Any]

    @property
    def sim(self) -> Simulator:
        return self.service.sim

    @property
    def provider(self) -> TaxDocumentService:
        assert self.sim.tax_documents is not None
        return self.sim.tax_documents

    @property
    def entries(self) -> list[int]:
        return [document["docEntry"] for document in self.detail["documentos"]]

    def folio(self, doc_id: int) -> int:
        row: Any = Desk(self.sim.world).read("PurchaseReturns", self.entries[doc_id - 1])
        return int(row["FolioNumber"] or 0)

    def configure(self, **fields: str) -> None:
        Desk(self.sim.world).change("U_DTE_CONFC", "1", dict(fields))

    async def pdf(self, **body: Any) -> httpx2.Response:
        return await self.client.post(f"{PLANNINGS}/{self.detail['id']}/pdf", json=body)


@asynccontextmanager
async def executed(
    open_service: "OpenService", listening: Listening = LISTENING, **settings: Any
) -> AsyncIterator[Executed]:
    """Three documents of three suppliers or more, made all or as `chosen`.

    `folio_delay_s` is the simulated company's.
    """
    folio_delay_s, chosen = settings.pop("folio_delay_s", 0.0), settings.pop("chosen", None)
    switches = Switches(sql_grants=GRANTED, folio_delay_s=folio_delay_s)
    async with (
        run_sim(seed="returns", switches=switches, listening=listening) as sim,
        open_service(sim, **settings) as service,
        service.signed_in() as client,
    ):
        assert (await client.post("/api/metadata/rebuild")).status_code == 200
        lines = [{"itemCode": item, "cantidad": 2} for item in plain_items(sim)]
        body = {"cabecera": {"whsCode": "01"}, "lineas": lines}
        planned = (await client.post(PLANNINGS, json=body)).json()
        folios = {"version": 1, "documentos": chosen}
        done = await client.post(f"{PLANNINGS}/{planned['id']}/devoluciones", json=folios)
        assert done.status_code == 200, done.text
        detail = done.json()
        assert {
            document["estado"]
            for document in detail["documentos"]
            if chosen is None or document["docId"] in chosen
        } == {"creado"}
        assert len(detail["documentos"]) >= 3
        yield Executed(service, client, detail)


@pytest_asyncio.fixture
async def made(open_service: "OpenService") -> AsyncIterator[Executed]:
    async with executed(open_service) as planning:
        yield planning


def plain_items(sim: Simulator) -> list[str]:
    """Return items with open receipts in warehouse 01 that have neither batches nor serial numbers."""
    desk: Any = Desk(sim.world)
    managed = {
        row["ItemCode"]
        for row in desk.rows("Items")
        if "tYES" in (row["ManageBatchNumbers"], row["ManageSerialNumbers"], row["Frozen"])
    }
    lines = [
        line
        for receipt in desk.rows("PurchaseDeliveryNotes", filter="DocumentStatus eq 'bost_Open'")
        for line in receipt["DocumentLines"]
    ]
    found = {
        line["ItemCode"]
        for line in lines
        if (line["WarehouseCode"], line["LineStatus"]) == ("01", "bost_Open") and line["Quantity"] >= 2
    }
    return sorted(found - managed)[:6]


def folios_in(pdf: bytes) -> list[int]:
    """Return the folio on each page."""
    document = pypdfium2.PdfDocument(pdf)
    folios = []
    for page in document:
        text = page.get_textpage()
        folios.append(int(text.get_text_range().partition("electrónica N° ")[2].split()[0]))
        text.close()
        page.close()
    document.close()
    return folios


@pytest.mark.parametrize("trusted", [True, False])
async def test_a_private_authority_of_the_provider_is_trusted_only_if_configured(
    open_service: "OpenService", tmp_path: Path, trusted: bool
) -> None:
    listening = Listening(tax_documents_port=0, tls=True, certificate_folder=tmp_path)
    authority = str(tmp_path / "certificate.pem")
    settings = {"SL_CA_FILE": authority, **({"DTE_CA_FILE": authority} if trusted else {})}
    load_or_create(
        tmp_path, "127.0.0.1", SystemClock()
    )  # the settings are checked before the simulator starts
    async with executed(open_service, listening, **settings) as made:
        assert made.provider.url.startswith("https://")
        answer = await made.pdf()
        if trusted:
            assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
        else:
            assert answer.status_code == 502
            assert not made.provider.questions


async def test_all_documents_are_joined_in_their_order(made: Executed) -> None:
    answer = await made.pdf()
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["cache-control"] == "no-store"
    disposition = f'inline; filename="devoluciones-{made.detail["id"]}.pdf"'
    assert answer.headers["content-disposition"] == disposition
    count = len(made.detail["documentos"])
    assert folios_in(answer.content) == [made.folio(number) for number in range(1, count + 1)]
    with pikepdf.open(BytesIO(answer.content)) as document:
        assert document.check_pdf_syntax() == []


async def test_the_pages_follow_the_requested_order(made: Executed) -> None:
    answer = await made.pdf(documentos=[3, 1])
    assert folios_in(answer.content) == [made.folio(3), made.folio(1)]
    assert len(made.provider.questions) == 2
    shown = (await made.client.get(f"{PLANNINGS}/{made.detail['id']}")).json()["documentos"]
    assert [shown[number - 1]["folio"] for number in (1, 3)] == [made.folio(1), made.folio(3)]


async def test_documents_without_a_folio_are_refused_unless_partial(open_service: "OpenService") -> None:
    async with executed(open_service, folio_delay_s=None) as made:
        answer = await made.pdf()
        assert (answer.status_code, answer.json()["code"]) == (409, "folio_missing")
        assert (await made.pdf(parcial=True)).json()["code"] == "folio_missing"
        made.provider.folios.give(made.entries[0])
        answer = await made.pdf()
        others = list(range(2, len(made.entries) + 1))
        assert (answer.status_code, answer.json()["documentos"]) == (409, others)
        answer = await made.pdf(parcial=True)
        assert folios_in(answer.content) == [made.folio(1)]
        assert answer.headers["x-documentos-omitidos"] == ", ".join(map(str, others))


async def test_a_folio_is_recorded_while_other_documents_are_pending(open_service: "OpenService") -> None:
    async with executed(open_service, chosen=[1], folio_delay_s=None) as made:
        made.provider.folios.give(made.entries[0])
        assert (await made.pdf(documentos=[1])).status_code == 200
        path = f"{PLANNINGS}/{made.detail['id']}"
        assert (await made.client.get(path)).json()["documentos"][0]["folio"] == made.folio(1)
        closed = (await made.client.post(f"{path}/cerrar")).json()
        assert (closed["estado"], closed["documentos"][0]["folio"]) == ("cerrada", made.folio(1))


@pytest.mark.parametrize("action", ["reprocesar", "cerrar"])
async def test_the_next_lookup_records_a_folio_without_a_download(
    open_service: "OpenService", action: str
) -> None:
    async with executed(open_service, folio_delay_s=None) as made:
        made.provider.folios.give(made.entries[0])
        path = f"{PLANNINGS}/{made.detail['id']}"
        assert (await made.client.post(f"{path}/{action}")).status_code == 200
        shown = (await made.client.get(path)).json()["documentos"]
        assert [each["folio"] for each in shown[:2]] == [made.folio(1), None]


async def test_each_wrong_reply_names_its_document_and_no_file_is_sent(made: Executed) -> None:
    for kind, code in WRONG_ANSWERS.items():
        made.provider.wrong[made.folio(2)] = kind
        with structlog.testing.capture_logs() as logs:
            answer = await made.pdf()
        assert answer.status_code == 502, kind
        problem = answer.json()
        assert problem["code"] == "tax_document_failed"
        [failed] = problem["documentos"]
        assert (kind, failed["docId"], failed["folio"], failed["code"]) == (kind, 2, made.folio(2), code)
        assert failed["message"]
        assert PASSWORD not in f"{answer.text}{logs}", kind
        del made.provider.wrong[made.folio(2)]
        assert (await made.pdf()).status_code == 200, f"after {kind}"


async def test_recording_a_folio_keeps_concurrent_changes(
    open_service: "OpenService",
) -> None:
    async with executed(open_service, folio_delay_s=None) as made:
        for entry in made.entries:
            made.provider.folios.give(entry)
        made.sim.calls.clear()
        made.sim.faults.add(Fault(action=Delay(seconds=1), method="GET", path="PurchaseReturns"))
        download = asyncio.create_task(made.pdf())
        await made.service.arrived("GET", "PurchaseReturns")
        path = f"{PLANNINGS}/{made.detail['id']}"
        Desk(made.sim.world).act("PurchaseReturns", made.entries[0], "Cancel")
        async with made.service.signed_in(ip="10.0.0.8") as other:
            cancelled = (await other.post(f"{path}/reprocesar")).json()
            assert cancelled["documentos"][0]["estado"] == "anulado"
            assert (await download).status_code == 200
            after = (await other.get(path)).json()
        assert after["version"] == cancelled["version"]
        assert [each["estado"] for each in after["documentos"]] == [
            each["estado"] for each in cancelled["documentos"]
        ]
        assert after["documentos"][1]["folio"] == made.folio(2)


async def test_unusual_replies_with_a_complete_document_are_joined(made: Executed) -> None:
    kinds = (TaxAnswer.BASE64_TWICE, TaxAnswer.OTHER_ORDER, TaxAnswer.LARGE_PDF)
    for number, kind in enumerate(kinds, 1):
        made.provider.wrong[made.folio(number)] = kind
    answer = await made.pdf(documentos=[1, 2, 3])
    assert answer.status_code == 200, answer.text
    assert folios_in(answer.content) == [made.folio(number) for number in (1, 2, 3)]


async def test_a_dropped_connection_is_reported_for_every_document(made: Executed) -> None:
    made.provider.faults.add(Fault(action=Drop(), times=None))
    failed = (await made.pdf()).json()["documentos"]
    assert {each["code"] for each in failed} == {"unreachable"}
    assert len(failed) == len(made.entries)


async def test_one_download_fetches_no_more_documents_at_once_than_configured(
    open_service: "OpenService",
) -> None:
    async with executed(open_service, DTE_CONCURRENCY="2") as made:
        made.provider.faults.add(Fault(action=Delay(seconds=0.05), times=None))
        assert (await made.pdf()).status_code == 200
        assert made.provider.calls.max_in_flight == 2


async def test_all_downloads_together_fetch_no_more_at_once_than_configured(
    open_service: "OpenService",
) -> None:
    async with executed(open_service, DTE_CONCURRENCY="2") as made:
        made.provider.faults.add(Fault(action=Delay(seconds=0.05), times=None))
        answers = await asyncio.gather(*(made.pdf() for _ in range(6)))
        assert {answer.status_code for answer in answers} == {200}
        assert made.provider.calls.max_in_flight == 2


async def test_a_small_download_waits_for_one_document_of_a_large_one_only(
    open_service: "OpenService",
) -> None:
    async with executed(open_service, DTE_CONCURRENCY="1") as made:
        made.provider.faults.add(Fault(action=Delay(seconds=1), times=None))
        async with made.service.signed_in(ip="10.0.0.8") as other:
            path = f"{PLANNINGS}/{made.detail['id']}/pdf"
            large = asyncio.create_task(made.pdf())
            async with asyncio.timeout(30):
                while made.provider.calls.total < 1:  # noqa: ASYNC110 - the simulator signals nothing
                    await asyncio.sleep(0.01)
            assert (await other.post(path, json={"documentos": [1]})).status_code == 200
            assert not large.done()
            folios = [question.folio for question in made.provider.questions]
            assert folios.index(str(made.folio(1)), 1) <= 2
            assert (await large).status_code == 200


async def test_no_document_is_fetched_after_the_client_disconnects(open_service: "OpenService") -> None:
    async with executed(open_service, DTE_CONCURRENCY="1") as made:
        made.provider.faults.add(Fault(action=Delay(seconds=0.5), times=None))
        sent = await disconnect_during_download(made)
        assert sent[0]["status"] == 503
        await asyncio.sleep(1.5)
        assert len(made.provider.questions) == 1
        made.provider.faults.clear()
        assert (await made.pdf()).status_code == 200, "its place is free"


async def disconnect_during_download(made: Executed) -> list[dict[str, Any]]:
    """Request all documents, and disconnect while the first one is fetched."""
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": b"{}", "more_body": False}]

    async def receive() -> Any:
        if waiting:
            return waiting.pop()
        while not made.provider.calls.total:  # noqa: ASYNC110 - the simulator signals nothing
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    path = f"{PLANNINGS}/{made.detail['id']}/pdf"
    headers = {"cookie": f"dp_sid={made.client.cookies['dp_sid']}", "content-type": "application/json"}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "x", **headers}.items()],
        "client": ("10.0.0.7", 50_000),
        "server": ("x", 80),
    }
    await made.service.app(scope, receive, send)
    return sent


@pytest.mark.parametrize(("guides", "taken"), [(0.5, 1), (1.5, 1), (2.5, 2), (9, 4)])
async def test_documents_above_the_size_limit_of_a_download_are_named(
    made: Executed, guides: float, taken: int
) -> None:
    components = made.service.components
    session = components.sessions.authenticate([made.client.cookies["dp_sid"]])
    repository = PlanningRepository(session.erp, Caller("x"), components.settings.web.timezone)
    sources = DownloadSources("x", session.erp, Caller("x"), repository)
    provider = await read_provider(session.erp, Caller("x"))
    async with TaxDocuments(tax_settings(components.settings)) as tax_documents:
        key = TaxDocumentKey(provider.issuer, DISPATCH_GUIDE, made.folio(1))
        size = len((await tax_documents.fetch(provider.access, key)).pdf)
        service = TaxDocumentDownloads(
            tax_documents, Joining(), at_once=1, is_running=lambda _: False, max_bytes=int(guides * size)
        )
        alone = await service.download(sources, made.detail["id"], DownloadRequest((1,)))
        assert folios_in(alone.pdf) == [made.folio(1)]
        made.provider.questions.clear()
        try:
            await service.download(sources, made.detail["id"], DownloadRequest())
            named = []
        except TaxDocumentFailed as error:
            named = error.members["documentos"]
    assert [(each["docId"], each["code"]) for each in named] == [
        (number, "too_large_together") for number in range(taken + 1, len(made.entries) + 1)
    ]
    assert all("demasiado grandes" in each["message"] for each in named)
    assert len(made.provider.questions) <= taken + 1, "what is beyond the limit is not asked for"


async def test_without_a_provider_the_error_is_not_configured(made: Executed) -> None:
    was: Any = Desk(made.sim.world).read("U_DTE_CONFC", "1")
    for field, value in {"U_Activo": "N", "U_Url": "", "U_RutEmisor": "no es un RUT"}.items():
        made.configure(**{field: value})
        answer = await made.pdf()
        assert (field, answer.status_code, answer.json()["code"]) == (field, 503, "not_configured")
        made.configure(**{field: was[field]})
    assert (await made.pdf()).status_code == 200


async def test_credentials_are_read_at_each_download(made: Executed) -> None:
    made.configure(U_Clave="planted-password")
    with structlog.testing.capture_logs() as logs:
        answer = await made.pdf()
    assert {each["code"] for each in answer.json()["documentos"]} == {"credentials_refused"}
    assert "planted-password" not in f"{answer.text}{logs}"
    made.configure(U_Clave=PASSWORD)
    assert (await made.pdf()).status_code == 200


async def test_an_unsafe_provider_address_is_refused(made: Executed) -> None:
    for url in ("http://dte.example.cl/x", "ftp://127.0.0.1/x", "https://a@127.0.0.1/x"):
        made.configure(U_Url=url)
        answer = await made.pdf()
        assert (url, {each["code"] for each in answer.json()["documentos"]}) == (url, {"address_refused"})
    assert made.provider.calls.total == 0


async def test_only_configured_hosts_are_called(open_service: "OpenService") -> None:
    async with executed(open_service, DTE_HOSTS="dte.example.cl") as made:
        answer = await made.pdf()
        assert {each["code"] for each in answer.json()["documentos"]} == {"address_refused"}
        assert made.provider.calls.total == 0


async def test_a_document_without_a_return_has_no_tax_document(made: Executed) -> None:
    assert (await made.pdf(documentos=[99])).status_code == 404
    assert (await made.client.post(f"{PLANNINGS}/999/pdf")).status_code == 404
    assert made.provider.calls.total == 0
