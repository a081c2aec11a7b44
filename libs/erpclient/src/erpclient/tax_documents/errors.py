"""Errors between a program and a tax-document service. All requests are reads and safe to repeat.

::

    TaxDocumentError
    ├── TaxServiceAddressRefused   the address is not allowed; nothing was sent
    ├── TaxServiceUnreachable      no connection, or it was lost before an answer
    ├── TaxServiceTimeout          no connection or no whole answer in time
    ├── TaxServiceFailed           a status that is no success, and no SOAP fault with it: a web server's page
    ├── TaxServiceFault            a SOAP fault
    ├── TaxServiceRefused          refused by the service's own status
    │   ├── TaxCredentialsRefused     user or password
    │   ├── TaxDocumentUnknown        it has no such document
    │   └── TaxDocumentNotReady       it is not printed yet
    ├── TaxAnswerUnreadable        an answer that violates the contract
    ├── TaxDocumentBroken          an answer without a complete PDF
    ├── TaxDocumentMistaken        another document than the requested one
    └── TaxReadingFailed           the process that reads answers died or took too long

Texts of the service are shortened, and credentials in them are removed.
"""

# ruff: noqa: N818 - named as the other errors of this package

from typing import ClassVar

from erpclient.errors import Phase


class TaxDocumentError(Exception):
    """A tax document could not be read.

    Attributes:
        code: a stable error code for programs.
    """

    code: ClassVar[str] = "tax_document_error"


class TaxServiceAddressRefused(TaxDocumentError):
    """The configured address is not allowed.

    Attributes:
        reason: a few fixed English words.
    """

    code: ClassVar[str] = "address_refused"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the address of the tax-document service {reason}")
        self.reason = reason


class TaxServiceUnreachable(TaxDocumentError):
    """No connection to the service, or it was lost before an answer.

    Attributes:
        network_code: as in :class:`erpclient.ErpUnreachable`.
    """

    code: ClassVar[str] = "unreachable"

    def __init__(self, network_code: str) -> None:
        super().__init__(f"the tax-document service could not be reached ({network_code})")
        self.network_code = network_code


class TaxServiceTimeout(TaxDocumentError):
    """No connection or no complete answer in time.

    Attributes:
        phase: the missing part: connection or answer.
    """

    code: ClassVar[str] = "timeout"

    def __init__(self, phase: Phase) -> None:
        missing = "connection to" if phase is Phase.CONNECT else "whole answer from"
        super().__init__(f"no {missing} the tax-document service in time")
        self.phase = phase


class TaxServiceFailed(TaxDocumentError):
    """The service, or a web server in front of it, returned an error status without a SOAP fault.

    Redirects are not followed: the credentials would go to another address.

    Attributes:
        status: the HTTP status.
    """

    code: ClassVar[str] = "failed"

    def __init__(self, status: int) -> None:
        super().__init__(f"the tax-document service answered with status {status}")
        self.status = status


class TaxServiceFault(TaxDocumentError):
    """The service answered with a SOAP fault.

    Attributes:
        fault_code: the fault's own code, possibly empty.
        text: the fault's own text, possibly empty.
    """

    code: ClassVar[str] = "fault"

    def __init__(self, fault_code: str, text: str) -> None:
        super().__init__(f"the tax-document service failed ({fault_code}): {text}")
        self.fault_code = fault_code
        self.text = text


class TaxServiceRefused(TaxDocumentError):
    """The service understood the request and has no document for it.

    Attributes:
        status: its ``Estatus``.
        text: its ``MsgEstatus``, possibly empty.
    """

    code: ClassVar[str] = "refused"

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"the tax-document service refused (status {status}): {text}")
        self.status = status
        self.text = text


class TaxCredentialsRefused(TaxServiceRefused):
    """The service rejects user and password."""

    code: ClassVar[str] = "credentials_refused"


class TaxDocumentUnknown(TaxServiceRefused):
    """The service has no such document."""

    code: ClassVar[str] = "document_unknown"


class TaxDocumentNotReady(TaxServiceRefused):
    """The service has not printed the document yet: retry later."""

    code: ClassVar[str] = "document_not_ready"


class TaxAnswerUnreadable(TaxDocumentError):
    """The answer violates the contract.

    Attributes:
        reason: a few fixed English words, without content of the answer.
    """

    code: ClassVar[str] = "answer_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the tax-document service's answer cannot be read: {reason}")
        self.reason = reason


class TaxDocumentBroken(TaxDocumentError):
    """The service reports success without a complete PDF.

    Attributes:
        reason: a few fixed English words.
    """

    code: ClassVar[str] = "document_broken"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the tax-document service sent no whole PDF: {reason}")
        self.reason = reason


class TaxDocumentMistaken(TaxDocumentError):
    """The service sent another document than the requested one."""

    code: ClassVar[str] = "document_mistaken"

    def __init__(self) -> None:
        super().__init__("the tax-document service sent another document than the one asked for")


class TaxReadingFailed(TaxDocumentError):
    """The process that reads answers died, ran out of memory or took too long.

    Attributes:
        reason: a few fixed English words.
    """

    code: ClassVar[str] = "reading_failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"reading the tax-document service's answer failed: {reason}")
        self.reason = reason
