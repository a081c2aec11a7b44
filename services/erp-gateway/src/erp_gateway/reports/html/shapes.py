"""Request and response bodies of the HTML reports."""

from typing import Any

from attrs import field, frozen

from erp_gateway.values.parameters.declare import ReportParameter


@frozen(kw_only=True)
class TableListing:
    """A table of a report that can be had as a file."""

    name: str
    title: str


@frozen(kw_only=True)
class ReportListing:
    """A report as a person chooses it."""

    code: str
    title: str
    parameters: tuple[ReportParameter, ...]
    tables: tuple[TableListing, ...]


@frozen(kw_only=True)
class ReportListings:
    """All reports."""

    items: tuple[ReportListing, ...]


@frozen(kw_only=True)
class ReportValues:
    """Values of a report's form, by parameter name."""

    values: dict[str, Any] = field(factory=dict)
