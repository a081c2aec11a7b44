"""HTTP server of the tax-document service."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from typing import Final

import attrs
from aiohttp import web

from erpsim.company.clock import Clock
from erpsim.company.exchange import Fields
from erpsim.company.switches import TaxAnswer
from erpsim.faults import FaultBook, When
from erpsim.faults.calls import Call, CallLog
from erpsim.faults.script import FaultScript
from erpsim.process.ports import Listening, Ports
from erpsim.service_layer.sessions import SessionTable
from erpsim.service_layer.web_server.balancer import in_front, not_found
from erpsim.service_layer.web_server.delivery import cut, deliver
from erpsim.service_layer.web_server.request_target import split_target
from erpsim.service_layer.wire.messages import SlReply
from erpsim.tax_documents import soap, wrong_answers
from erpsim.tax_documents.configuration import credentials, note_address
from erpsim.tax_documents.folios import Folios, find_return
from erpsim.tax_documents.guide import DISPATCH_GUIDE, draw_guide, issuer_of, page_of_guide, xml_of_guide
from erpsim.tax_documents.soap import Soap, SoapError
from erpsim.tax_documents.wrong_answers import GuideFiles
from erpsim.world import World

PATH: Final = "wsfactlocal/dtelocal.asmx"
LARGE_BYTES: Final = 12 * 1024 * 1024
_SERVER: Final = "Microsoft-IIS/10.0"


@attrs.frozen(kw_only=True)
class Question:
    """Document requested from the service; never with credentials.

    Args:
        issuer: `RutEmpresa`.
        document_type: `TipoDocto`.
        folio: `NroDocto`.
    """

    issuer: str
    document_type: str
    folio: str


class TaxDocumentService:
    """One simulated provider of tax documents.

    Args:
        world: the company whose returns it prints; its switches rule here too.
        clock: source of the time.

    Attributes:
        faults: scripted trouble; the one path is `wsfactlocal/dtelocal.asmx`.
        calls: every recorded request, without its body, because it contains a password.
        questions: requested documents, oldest first.
        wrong: scripted responses by folio, which override the switch `tax_answer`.
        folios: assigns folios to returns.
        url: its address.
    """

    def __init__(self, world: World, clock: Clock) -> None:
        self.world = world
        self.faults = FaultBook()
        self.calls = CallLog(clock)
        self.questions: list[Question] = []
        self.wrong: dict[int, TaxAnswer] = {}
        self.folios = Folios(world)
        self.url = ""
        self._clock = clock
        self._sessions = SessionTable(clock, lambda: 0.0)

    async def open(
        self, ports: Ports, listening: Listening, port: int, context: ssl.SSLContext | None
    ) -> None:
        """Listen, give folios, and write the address into the company's table.

        Raises:
            PortTakenError: another program listens there.
        """
        server = web.Server(self.handle, keepalive_timeout=listening.keep_alive_s, access_log=None)
        bound = await ports.open(server, port, context)
        self.url = f"{listening.origin(bound, tls=context is not None)}/{PATH}"
        self.folios.open()
        note_address(self.world.company, self.url)

    @property
    def sessions(self) -> SessionTable:
        """Always None: every request contains its credentials."""
        return self._sessions

    def answer_with(self, folio: int, kind: str) -> None:
        """Script the answer for a folio.

        Raises:
            ValueError: no such answer.
        """
        self.wrong[folio] = TaxAnswer(kind)

    def close(self) -> None:
        """Stop assigning folios; the port is closed with the others."""
        self.folios.close()

    def reset(self) -> None:
        """Go back to the initial state. Reset the company first."""
        self.faults.clear()
        self.calls.clear()
        self.questions.clear()
        self.wrong.clear()
        self.folios.give_all()
        note_address(self.world.company, self.url)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Handle one request of the web server."""
        path, query = split_target(request.raw_path)
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = self.calls.begin(
            method=request.method, root="", path=path.removeprefix("/"), query=query, headers=headers
        )
        try:
            return await self._converse(request, call, headers)
        finally:
            self.calls.end(call)

    async def _converse(
        self, request: web.BaseRequest, call: Call, headers: Mapping[str, str]
    ) -> web.StreamResponse:
        script = FaultScript.of(self.faults.take(call.method, call.path))
        if script.drop is not None and script.drops(When.BEFORE_READING):
            return cut(request, reset=script.drop.reset)
        body = await request.content.read()
        if script.delay_s > 0:
            await asyncio.sleep(script.delay_s)
        if script.drop is not None and script.drops(When.BEFORE_WORK):
            return cut(request, reset=script.drop.reset)
        front = script.instead or script.after_work
        reply = in_front(front) if front is not None else await self._answer(call, headers, body)
        call.status = reply.status
        return await deliver(request, reply, script.delivery, server=_SERVER)

    async def _answer(self, call: Call, headers: Mapping[str, str], body: bytes) -> SlReply:
        if call.path.lower() != PATH:
            return not_found()
        if call.method == "GET":
            return soap.description(self.url)
        version = soap.version_of(headers.get("content-type", ""))
        if call.method != "POST" or version is None:
            return SlReply(status=415 if call.method == "POST" else 405)
        try:
            fields = soap.read_question(version, body, headers.get("soapaction"))
        except SoapError as error:
            return soap.fault(version, "Client", str(error))
        call.worked = True
        question = Question(
            issuer=fields.get("RutEmpresa", ""),
            document_type=fields.get("TipoDocto", ""),
            folio=fields.get("NroDocto", ""),
        )
        self.questions.append(question)
        return await self._consult(version, question, fields.get("Usuario", ""), fields.get("Clave", ""))

    async def _consult(self, version: Soap, question: Question, user: str, password: str) -> SlReply:
        if (user, password) != credentials():
            return wrong_answers.refused(
                version, wrong_answers.BAD_CREDENTIALS, "Usuario o clave incorrectos"
            )
        numbers = (question.document_type, question.folio)
        if not question.issuer or not all(number.isascii() and number.isdecimal() for number in numbers):
            return wrong_answers.refused(version, wrong_answers.BAD_PARAMETER, "Parámetro inválido")
        folio = int(question.folio)
        kind = self.wrong.get(folio, self.world.switches.tax_answer)
        document = self._find(question, folio, kind)
        if document is None:
            return wrong_answers.refused(version, wrong_answers.NO_SUCH, "Documento no existe")
        files = await asyncio.to_thread(self._print, document, kind)
        return wrong_answers.document_reply(version, files, kind)

    def _find(self, question: Question, folio: int, kind: TaxAnswer) -> Fields | None:
        company = self.world.company
        if question.issuer != issuer_of(company) or int(question.document_type) != DISPATCH_GUIDE:
            return None
        document = None if kind is TaxAnswer.NO_SUCH_DOCUMENT else find_return(company, folio)
        if document is not None and kind is TaxAnswer.OTHER_DOCUMENT:
            return {**document, "FolioNumber": folio + 1}
        return document

    def _print(self, document: Fields, kind: TaxAnswer) -> GuideFiles:
        company = self.world.company
        filling = LARGE_BYTES if kind is TaxAnswer.LARGE_PDF else 0
        pdf = draw_guide(page_of_guide(company, document), self._clock.now(), filling_bytes=filling)
        return GuideFiles(pdf=pdf, xml=xml_of_guide(company, document))
