"""Whom a service may ask for a tax document, and what an answer means. Values only.

Addresses come from a table that users of the ERP may edit.
"""

import ipaddress
import re
from http import HTTPStatus
from typing import Final

import yarl

from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxServiceAddressRefused,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
)
from erpclient.tax_documents.messages import (
    DocumentIdentity,
    PdfState,
    ProviderAnswer,
    Reply,
    SoapFault,
    UnreadableAnswer,
)
from erpclient.tax_documents.values import TaxDocument, TaxDocumentKey, TaxServiceAccess

MAX_ADDRESS_LENGTH: Final = 1_000

_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
"""What RFC 3986 lets an address hold; anything else is read differently by different programs."""

_LIKE_A_NUMBER: Final = re.compile(r"(0x[0-9a-f]*|[0-9.])+")
"""What systems read as an IPv4 address in decimal, octal or hexadecimal form: `2130706433`, `0x7f.1`."""

FOUND: Final = 0
"""``Estatus`` of a document that was found; all the services of this family agree on it."""

_REFUSALS: Final = {1: TaxCredentialsRefused, 3: TaxDocumentUnknown, 4: TaxDocumentNotReady}
"""Of these only 3 is known from a relative of the operation; 1 and 4 are assumed."""


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
    if _LIKE_A_NUMBER.fullmatch(host) and not _is_ip_address(host):
        raise TaxServiceAddressRefused("names no host; write an IP address as four numbers")
    if address.raw_user is not None or address.raw_password is not None or "#" in url:
        raise TaxServiceAddressRefused("must hold neither a user nor a fragment")
    if address.scheme == "http" and not _is_loopback(host):
        raise TaxServiceAddressRefused("must begin with https://")
    if allowed_hosts and host not in {allowed.lower() for allowed in allowed_hosts}:
        raise TaxServiceAddressRefused("is of a host that is not among the allowed ones")


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


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
