"""Contract with the provider: zeep writes requests and parses answers. No network.

To support another provider, adapt this module and the WSDL next to it: the fields of a request and the
meaning of an answer's fields. Only the reading process imports it.
"""

from pathlib import Path
from typing import Any, Final

import zeep
import zeep.exceptions
from lxml import etree  # type: ignore[import-untyped]  # it comes without types

from erpclient.errors import bounded
from erpclient.tax_documents.answer_xml import (
    ENVELOPE,
    DoctypeError,
    NoXmlError,
    RepeatedError,
    copy_known_elements,
    find_fault,
    parse_answer,
)
from erpclient.tax_documents.messages import (
    DocumentIdentity,
    Envelope,
    ProviderAnswer,
    Question,
    Reply,
    SoapFault,
    UnreadableAnswer,
)
from erpclient.tax_documents.pdf_text import read_pdf

WSDL: Final = Path(__file__).with_name("consulta_txtdte.wsdl")
OPERATION: Final = "Consulta_TXTDTE"

_SETTINGS: Final = {
    "strict": True,
    "xsd_ignore_sequence_order": True,  # a field out of its order would otherwise be an error
    "forbid_dtd": True,
    "forbid_entities": True,
    "forbid_external": True,
}


class _OnlyTheWsdl:
    """Transport for zeep that only reads the WSDL file and refuses all network access."""

    def load(self, url: str) -> bytes:
        if url != str(WSDL):
            raise ValueError("nothing but the WSDL is loaded")
        return WSDL.read_bytes()


class Contract:
    """The WSDL, read once."""

    def __init__(self) -> None:
        library: Any = zeep  # its types cover a part of it
        self._client = library.Client(
            str(WSDL), transport=_OnlyTheWsdl(), settings=zeep.Settings(**_SETTINGS)
        )
        (binding,) = self._client.wsdl.bindings.values()
        self._operation = binding.get(OPERATION)
        response = self._operation.output.body
        ((_, result),) = response.type.elements
        self._response_tag, self._result_tag = response.qname.text, result.qname.text
        self._field_tags = frozenset(field.qname.text for _, field in result.type.elements)

    def build(self, question: Question) -> tuple[Envelope, bytes]:
        """Write a question: its action and its text."""
        envelope = self._client.create_message(
            self._client.service,
            OPERATION,
            RutEmpresa=question.issuer,
            TipoDocto=question.document_type,
            NroDocto=question.folio,
            Usuario=question.user,
            Clave=question.password,
        )
        text = etree.tostring(envelope, xml_declaration=True, encoding="utf-8")
        return Envelope(self._operation.soapaction), text

    def read(self, body: bytes, charset: str | None = None) -> tuple[Reply, list[bytes]]:
        """Parse an answer. Never raises for any content that a service can send.

        Args:
            body: as it came.
            charset: parameter of its `Content-Type`.

        Returns:
            the parsed answer and the bytes of its PDFs.
        """
        try:
            document = parse_answer(body, charset)
        except DoctypeError:
            return UnreadableAnswer("a document type or entities"), []
        except NoXmlError:
            return UnreadableAnswer("not XML"), []
        if document.tag != ENVELOPE:
            return UnreadableAnswer("no SOAP envelope"), []
        fault = find_fault(document)
        return self._read_result(document) if fault is None else (SoapFault(*map(bounded, fault)), [])

    def _read_result(self, document: Any) -> tuple[Reply, list[bytes]]:
        try:
            envelope = copy_known_elements(document, self._response_tag, self._result_tag, self._field_tags)
            if envelope is None:
                return UnreadableAnswer("another answer than the contract's", soap=True), []
            result = self._operation.process_reply(envelope)
        except (RepeatedError, zeep.exceptions.Error, LookupError, TypeError, AttributeError):
            return UnreadableAnswer("another answer than the contract's", soap=True), []
        return _read_result(result)


def _read_result(result: Any) -> tuple[Reply, list[bytes]]:
    status = getattr(result, "Estatus", None)
    if not isinstance(status, int):
        return UnreadableAnswer("an answer without a status", soap=True), []
    pdf, content = read_pdf(result.PDF)
    assignable, copy = read_pdf(result.PDFCedible)
    text = bounded(result.MsgEstatus or "")
    return ProviderAnswer(status, text, pdf, assignable, len(content), read_identity(result.XML)), [
        content,
        copy,
    ]


def read_identity(text: str | None) -> DocumentIdentity | None:
    """Read the identity in a tax document's own XML, ``None`` if it is missing or unreadable."""
    if not text:
        return None
    # Its declaration may name another encoding than that of the text it has become.
    parser = etree.XMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    fields = {name: root.findtext(f".//{{*}}{name}") for name in ("RUTEmisor", "TipoDTE", "Folio")}
    issuer, document_type, folio = (value.strip() if value else "" for value in fields.values())
    if not issuer or not _is_number(document_type) or not _is_number(folio):
        return None
    return DocumentIdentity(issuer.upper(), int(document_type), int(folio))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18  # noqa: PLR2004 - a 64-bit number
