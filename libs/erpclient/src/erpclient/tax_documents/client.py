"""Client of a tax-document service."""

from email.message import Message
from types import TracebackType
from typing import Final, Self

import structlog

from erpclient.errors import ErpReplyUnreadable, ErpTimeout, ErpUnreachable
from erpclient.http.aiohttp_transport import AiohttpTransport
from erpclient.http.messages import HttpReply, HttpRequest
from erpclient.http.tls import create_tls_context
from erpclient.http.transport import Transport
from erpclient.tax_documents.checks import check_address, document_of
from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxDocumentError,
    TaxServiceAddressRefused,
    TaxServiceTimeout,
    TaxServiceUnreachable,
)
from erpclient.tax_documents.messages import Question
from erpclient.tax_documents.own_addresses import OwnAddressError, create_foreign_socket
from erpclient.tax_documents.reading import ReadingProcesses
from erpclient.tax_documents.values import (
    TaxDocument,
    TaxDocumentKey,
    TaxDocumentSettings,
    TaxServiceAccess,
)

MOST_CHARSET_CHARS: Final = 40
_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class TaxDocuments:
    """Reads tax documents, concurrently if needed.

    Use it as an async context manager. The first document starts a process, and concurrent answers a second
    one, with zeep in it (60 MB each). They live until the client is closed.

    Args:
        settings: limits.
        transport: shared transport, which stays open; by default it opens and closes its own.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is not a PEM file.
    """

    def __init__(self, settings: TaxDocumentSettings, *, transport: Transport | None = None) -> None:
        self._settings = settings
        self._own_transport: AiohttpTransport | None = None
        if transport is None:
            transport = self._own_transport = AiohttpTransport(
                tls=create_tls_context(ca_file=settings.ca_file),
                connect_timeout_s=settings.connect_timeout_s,
                max_reply_bytes=settings.max_reply_bytes,
                create_socket=None if settings.allow_own_addresses else create_foreign_socket,
            )
        self._transport = transport
        self._reading = ReadingProcesses(
            timeout_s=settings.reading_timeout_s, max_reply_bytes=settings.max_reply_bytes
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
        """Read one document. The client itself never repeats a request.

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
        understood, content = await self._reading.read(reply.body, charset_of(reply.content_type))
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
        except OwnAddressError as error:
            raise TaxServiceAddressRefused("is one of this host") from error
        except ErpUnreachable as error:
            raise TaxServiceUnreachable(error.network_code) from error
        except ErpTimeout as error:
            raise TaxServiceTimeout(error.phase) from error
        except ErpReplyUnreadable as error:
            raise TaxAnswerUnreadable(error.reason) from error
        if reply.fault is not None:
            raise TaxAnswerUnreadable(reply.fault)
        return reply


def charset_of(content_type: str) -> str | None:
    """Return the charset in a ``Content-Type``, None without a plausible one."""
    message = Message()
    message["Content-Type"] = content_type
    charset = message.get_param("charset")
    if not isinstance(charset, str) or not charset.isascii() or not charset.isprintable():
        return None
    return charset if 0 < len(charset) <= MOST_CHARSET_CHARS else None
