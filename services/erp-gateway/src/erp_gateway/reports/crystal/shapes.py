"""Request and response bodies of the Crystal reports."""

from typing import Any

from attrs import field, frozen

from erp_gateway.reports.crystal.registry import RegisteredReport
from erp_gateway.values.parameters.declare import ReportParameter


@frozen(kw_only=True)
class ExportValues:
    """Values for running a report, by parameter name. Unknown names are dropped."""

    values: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class DocumentExport:
    """A document to print, with format and screen.

    Attributes:
        screen: exact menu route of the screen.
        code: code of the report.
        doc_entry: `DocEntry` of the document.
        doc_entries: `DocEntry` of several documents, joined in this order; instead of `doc_entry`.
    """

    screen: str
    code: str
    doc_entry: int | None = None
    doc_entries: tuple[int, ...] | None = None


@frozen(kw_only=True)
class AuthorizedItem:
    """A report of the report gateway's catalogue, or an ERP layout of a document type.

    Attributes:
        code: its code.
        name: for people.
        registered: whether it is in the registry.
        default: whether the ERP prints the document type with it.
        printable: whether the report gateway can print it; of layouts, only the Crystal ones.
    """

    code: str
    name: str
    registered: bool
    default: bool
    printable: bool


@frozen(kw_only=True)
class AuthorizedItems:
    """All of them."""

    items: tuple[AuthorizedItem, ...]


@frozen(kw_only=True)
class SuggestedParameters:
    """A report's parameters, ready to be registered."""

    code: str
    parameters: tuple[ReportParameter, ...]


@frozen(kw_only=True)
class RegisteredReports:
    """Registered reports."""

    items: tuple[RegisteredReport, ...]


@frozen(kw_only=True)
class DocumentFormat:
    """A format in which a screen's documents can be printed."""

    code: str
    title: str
    default: bool


@frozen(kw_only=True)
class DocumentFormats:
    """All of a screen, the default first."""

    items: tuple[DocumentFormat, ...]
