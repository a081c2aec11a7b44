"""What can go wrong between a program and a tax-document service. Everything here is a read: safe to repeat.

::

    TaxDocumentError
    ├── TaxServiceAddressRefused   the address is none that may be called; nothing was sent
    ├── TaxServiceUnreachable      no connection, or it was lost before an answer
    ├── TaxServiceTimeout          no connection or no whole answer in time
    ├── TaxServiceFailed           a status that is no success, and no SOAP fault with it: a web server's page
    ├── TaxServiceFault            a SOAP fault
    ├── TaxServiceRefused          understood, and refused by the service's own status
    │   ├── TaxCredentialsRefused     user or password
    │   ├── TaxDocumentUnknown        it has no such document
    │   └── TaxDocumentNotReady       it has it, and has not printed it yet
    ├── TaxAnswerUnreadable        an answer that is not what the contract promises
    ├── TaxDocumentBroken          an answer as promised, and no whole PDF in it
    ├── TaxDocumentMistaken        another document than the one asked for
    └── TaxReadingFailed           the process that reads answers died or took too long

Texts of the service are kept in part, and without the credentials should they repeat them.
"""

# ruff: noqa: N818 - named as the other errors of this package

from typing import ClassVar

from erpclient.errors import Phase


class TaxDocumentError(Exception):
    """Anything that keeps a tax document from being read.

    Attributes:
        code: a stable word for programs.
    """

    code: ClassVar[str] = "tax_document_error"


class TaxServiceAddressRefused(TaxDocumentError):
    """The configured address is none that may be called.

    Attributes:
        reason: what is wrong with it, a few fixed English words.
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
    """Not in time.

    Attributes:
        phase: what did not happen in time: the connection or the answer.
    """

    code: ClassVar[str] = "timeout"

    def __init__(self, phase: Phase) -> None:
        what = "connection to" if phase is Phase.CONNECT else "whole answer from"
        super().__init__(f"no {what} the tax-document service in time")
        self.phase = phase


class TaxServiceFailed(TaxDocumentError):
    """The service, or a web server before it, answered with a status that is no success and no SOAP fault.

    Redirects are not followed: the credentials would go where nobody sent them.

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
    """The service understood the question and has no document to give.

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
    """The service does not take user and password."""

    code: ClassVar[str] = "credentials_refused"


class TaxDocumentUnknown(TaxServiceRefused):
    """The service has no such document."""

    code: ClassVar[str] = "document_unknown"


class TaxDocumentNotReady(TaxServiceRefused):
    """The service has the document and has not printed it yet: ask again later."""

    code: ClassVar[str] = "document_not_ready"


class TaxAnswerUnreadable(TaxDocumentError):
    """An answer came that is not what the contract promises.

    Attributes:
        reason: what is wrong with it, a few fixed English words without any of its content.
    """

    code: ClassVar[str] = "answer_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the tax-document service's answer cannot be read: {reason}")
        self.reason = reason


class TaxDocumentBroken(TaxDocumentError):
    """The service says that all is well, and sends no whole PDF.

    Attributes:
        reason: what is wrong with it, a few fixed English words.
    """

    code: ClassVar[str] = "document_broken"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the tax-document service sent no whole PDF: {reason}")
        self.reason = reason


class TaxDocumentMistaken(TaxDocumentError):
    """The service sent another document than the one asked for."""

    code: ClassVar[str] = "document_mistaken"

    def __init__(self) -> None:
        super().__init__("the tax-document service sent another document than the one asked for")


class TaxReadingFailed(TaxDocumentError):
    """The process that reads answers died, ran out of memory or took too long.

    Attributes:
        reason: which of these, a few fixed English words.
    """

    code: ClassVar[str] = "reading_failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"reading the tax-document service's answer failed: {reason}")
        self.reason = reason
