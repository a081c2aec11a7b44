"""Plans: complete calls that the policy has allowed."""

from attrs import frozen

from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.records.proxy.declarations.registry import Registered
from erp_gateway.records.proxy.declarations.resource import CANCEL_BY_DOCUMENT
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erpclient.odata import ListQuery, RecordQuery, SumQuery


@frozen(slots=True)
class ListPlan:
    """Read a page of records.

    Attributes:
        target: the resource.
        query: the checked query.
        no_cache: whether the client wants no answer from the cache.
    """

    target: Registered
    query: ListQuery
    no_cache: bool = False


@frozen(kw_only=True)
class ExportPlan:
    """Read a whole list into a file.

    Attributes:
        target: the resource.
        query: the checked query; `top` is the largest number of rows.
        all_wanted: whether the client wants all rows, so that a part of them is refused.
    """

    target: Registered
    query: ListQuery
    all_wanted: bool

    @property
    def title(self) -> str:
        """Title of the list for people."""
        return self.target.resource.title or self.target.resource.name

    @property
    def facts(self) -> tuple[tuple[str, object], ...]:
        """Filter and order, for the last sheet."""
        facts = (("Filtro", self.query.filter), ("Orden", ", ".join(self.query.orderby)))
        return tuple((name, value) for name, value in facts if value)


@frozen(slots=True)
class SumPlan:
    """Add up columns over all records of a filter.

    Attributes:
        target: the resource.
        columns: the columns to add up; none if the resource has no such columns.
        query: the complete call.
    """

    target: Registered
    columns: tuple[Column, ...]
    query: SumQuery


@frozen(slots=True)
class RecordPlan:
    """Read one record.

    Attributes:
        target: the resource.
        predicate: the key for the upstream path, percent-encoded.
        key_filter: the key as a condition, for keys that the ERP's web server may not take in a path.
        query: the checked query.
        no_cache: whether the client wants no answer from the cache.
    """

    target: Registered
    predicate: str
    key_filter: str | None
    query: RecordQuery
    no_cache: bool = False


@frozen(slots=True)
class HistoryPlan:
    """Read the history of one record.

    Attributes:
        target: the resource.
        key: the key under which the audit stores the record's writes.
    """

    target: Registered
    key: str


@frozen(slots=True)
class CreatePlan:
    """Create a record."""

    target: Registered


@frozen(slots=True)
class ModifyPlan:
    """Change a record.

    Attributes:
        target: the resource.
        key: the key as the client wrote it; the parts of a composite one in declared order.
        predicate: the key for the upstream path, percent-encoded.
        if_match: `*` or one weak tag, checked.
        replace_collections: whether the sent lines replace all lines.
    """

    target: Registered
    key: str
    predicate: str
    if_match: str | None
    replace_collections: bool


@frozen(slots=True)
class ActionPlan:
    """Run an action on a record; attributes as in `ModifyPlan`."""

    target: Registered
    key: str
    predicate: str
    action: str
    if_match: str | None

    @property
    def creates_document(self) -> bool:
        """True if the action creates a document of the resource and returns it."""
        return self.action == CANCEL_BY_DOCUMENT

    @property
    def may_need_approval(self) -> bool:
        """True if an approval procedure can turn the created document into a draft."""
        return self.creates_document and self.target.resource.approvable


@frozen(slots=True)
class ServiceActionPlan:
    """Run a query-only action without a record."""

    action: ServiceAction
