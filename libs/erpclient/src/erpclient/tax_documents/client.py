"""What a service holds to read tax documents: whom it may ask, and what an answer means.

Addresses come from a table that users of the ERP may edit.
"""

import ipaddress
import re
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

import structlog
import yarl

from erpclient.errors import ErpReplyUnreadable, ErpTimeout, ErpUnreachable
from erpclient.http.transport import AiohttpTransport, HttpReply, HttpRequest, Transport, create_tls_context
from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentError,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxServiceAddressRefused,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
    TaxServiceTimeout,
    TaxServiceUnreachable,
)
from erpclient.tax_documents.messages import (
    DocumentIdentity,
    PdfState,
    ProviderAnswer,
    Question,
    Reply,
    SoapFault,
    UnreadableAnswer,
)
from erpclient.tax_documents.reading import ReadingProcess
from erpclient.tax_documents.values import (
    TaxDocument,
    TaxDocumentKey,
    TaxDocumentSettings,
    TaxServiceAccess,
)

RESULT_MARGIN_BYTES: Final = 1024 * 1024
"""What a result may be larger than the answer that it was read from: its head."""

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")

MAX_ADDRESS_LENGTH: Final = 1_000

_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
"""What RFC 3986 lets an address hold; anything else is read differently by different programs."""

FOUND: Final = 0
"""``Estatus`` of a document that was found; all the services of this family agree on it."""

_REFUSALS: Final = {1: TaxCredentialsRefused, 3: TaxDocumentUnknown, 4: TaxDocumentNotReady}
"""Of these only 3 is known from a relative of the operation; 1 and 4 are assumed."""


class TaxDocuments:
    """Reads tax documents, several at a time if wanted.

    Use it as an async context manager. Nothing is started before the first document; from then on until the
    end a process lives beside the program, with zeep in it (60 MB).

    Args:
        settings: limits.
        transport: to be used and left open; without one it opens and closes its own.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is no PEM file.
    """

    def __init__(self, settings: TaxDocumentSettings, *, transport: Transport | None = None) -> None:
        self._settings = settings
        self._own_transport: AiohttpTransport | None = None
        if transport is None:
            transport = self._own_transport = AiohttpTransport(
                tls=create_tls_context(ca_file=settings.ca_file),
                connect_timeout_s=settings.connect_timeout_s,
                max_reply_bytes=settings.max_reply_bytes,
            )
        self._transport = transport
        self._reading = ReadingProcess(
            timeout_s=settings.reading_timeout_s,
            max_result_bytes=settings.max_reply_bytes + RESULT_MARGIN_BYTES,
        )

    async def __aenter__(self) -> Self:
        if self._own_transport is not None:
            await self._own_transport.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._reading.aclose()
        finally:
            if self._own_transport is not None:
                await self._own_transport.aclose()

    async def fetch(self, access: TaxServiceAccess, key: TaxDocumentKey) -> TaxDocument:
        """Read one document. Asked once; whoever wants it again asks again.

        Raises:
            TaxDocumentError: see :mod:`erpclient.tax_documents.errors`.
        """
        check_address(access.url, self._settings.allowed_hosts)
        try:
            document = await self._fetch(access, key)
        except TaxDocumentError as error:
            _log.warning(
                "tax_document_failed", document_type=key.document_type, folio=key.folio, code=error.code
            )
            raise
        return document

    async def _fetch(self, access: TaxServiceAccess, key: TaxDocumentKey) -> TaxDocument:
        question = Question(key.issuer, key.document_type, key.folio, access.user, access.password)
        soap_action, text = await self._reading.build(question)
        reply = await self._send(access.url, soap_action, text)
        understood, content = await self._reading.read(reply.body)
        return document_of(reply.status, understood, content, key=key, access=access)

    async def _send(self, url: str, soap_action: str, text: bytes) -> HttpReply:
        headers = {
            "Accept": "text/xml",
            "Accept-Encoding": "gzip",
            "Content-Type": "text/xml; charset=utf-8",
            "SOAPAction": f'"{soap_action}"',
            "User-Agent": "erpclient",
        }
        request = HttpRequest("POST", url, headers, text, timeout_s=self._settings.timeout_s, fresh=True)
        try:
            reply = await self._transport.send(request)
        except ErpUnreachable as error:
            raise TaxServiceUnreachable(error.network_code) from error
        except ErpTimeout as error:
            raise TaxServiceTimeout(error.phase) from error
        except ErpReplyUnreadable as error:
            raise TaxAnswerUnreadable(error.reason) from error
        if reply.fault is not None:
            raise TaxAnswerUnreadable(reply.fault)
        return reply


def check_address(url: str, allowed_hosts: frozenset[str]) -> None:
    """Let an address pass that a secret may be sent to.

    Args:
        url: as configured.
        allowed_hosts: names and IP addresses that it may have, in any letter case; empty for all.

    Raises:
        TaxServiceAddressRefused: no address; not ``https`` (``http`` passes for loopback addresses); with
            credentials or a fragment; or of a host that is not allowed.
    """
    if not _PLAIN.fullmatch(url) or len(url) > MAX_ADDRESS_LENGTH:
        raise TaxServiceAddressRefused("is empty, too long or holds characters that no address has")
    try:
        address = yarl.URL(url, encoded=True)
        host, port = (address.host or "").lower(), address.port
    except ValueError as error:
        raise TaxServiceAddressRefused("is no address") from error
    if address.scheme not in ("http", "https") or not host or not port:
        raise TaxServiceAddressRefused("must begin with https:// and name a host")
    if address.raw_user is not None or address.raw_password is not None or "#" in url:
        raise TaxServiceAddressRefused("must hold neither a user nor a fragment")
    if address.scheme == "http" and not _is_loopback(host):
        raise TaxServiceAddressRefused("must begin with https://")
    if allowed_hosts and host not in {allowed.lower() for allowed in allowed_hosts}:
        raise TaxServiceAddressRefused("is of a host that is not among the allowed ones")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def document_of(
    status: int, reply: Reply, content: bytes, *, key: TaxDocumentKey, access: TaxServiceAccess
) -> TaxDocument:
    """Tell a document from all that is none.

    Args:
        status: the HTTP status.
        reply: what was understood of the body.
        content: the bytes of its PDFs.
        key: what was asked for.
        access: whose credentials no text may repeat.

    Raises:
        TaxDocumentError: it is none.
    """
    if isinstance(reply, SoapFault):
        raise TaxServiceFault(_clean(reply.fault_code, access), _clean(reply.text, access))
    if status != HTTPStatus.OK:
        raise TaxServiceFailed(status)
    if isinstance(reply, UnreadableAnswer):
        raise TaxAnswerUnreadable(reply.reason)
    if reply.status != FOUND:
        raise _REFUSALS.get(reply.status, TaxServiceRefused)(reply.status, _clean(reply.text, access))
    return _whole(reply, content, key)


def _whole(reply: ProviderAnswer, content: bytes, key: TaxDocumentKey) -> TaxDocument:
    asked = DocumentIdentity(key.issuer, key.document_type, key.folio)
    if reply.named is not None and reply.named != asked:
        raise TaxDocumentMistaken
    if reply.pdf is not PdfState.WHOLE:
        raise TaxDocumentBroken(reply.pdf.value)
    if reply.assignable not in (PdfState.ABSENT, PdfState.WHOLE):
        raise TaxDocumentBroken(f"its assignable copy: {reply.assignable.value}")
    pdf, copy = content[: reply.pdf_bytes], content[reply.pdf_bytes :]
    return TaxDocument(pdf, copy or None, confirmed=reply.named is not None)


def _clean(text: str, access: TaxServiceAccess) -> str:
    """Take credentials out of a text, should a service repeat them."""
    for secret in sorted({access.user, access.password} - {""}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
