"""Reads of records as values. Equal reads that wait in the queue share one call."""

from attrs import frozen

from erpclient.http.calls import Call, key_filter_call, list_call, record_call
from erpclient.odata import Dialect, ListQuery, RecordQuery


@frozen
class ListRead:
    """Read of one page of records.

    Attributes:
        resource: entity set.
        query: options of the list.
        is_tagged: whether the records of this resource carry entity tags.
        hidden: property names in lower case to remove from the reply.
        ignores_case: whether the filter ignores letter case.
    """

    resource: str
    query: ListQuery
    is_tagged: bool
    hidden: frozenset[str]
    ignores_case: bool

    def to_call(self, dialect: Dialect, added: tuple[str, ...]) -> Call:
        """Write the read as a call, with these names added to its selection."""
        return list_call(
            self.resource,
            self.query.encode(dialect, added),
            page_size=self.query.top,
            case_insensitive=self.ignores_case and self.query.filter is not None,
        )


@frozen
class RecordRead:
    """Read of one record.

    Attributes:
        resource: entity set.
        key_predicate: the key for the path, percent-encoded, with its parentheses.
        query: options of the read.
        is_tagged: whether the records of this resource carry entity tags.
        hidden: property names in lower case to remove from the reply.
        key_filter: the key as a condition; ``None`` if the key can only be sent in the path.
        is_by_filter: whether the condition is sent instead of the key.
    """

    resource: str
    key_predicate: str
    query: RecordQuery
    is_tagged: bool
    hidden: frozenset[str]
    key_filter: str | None
    is_by_filter: bool = False

    def to_call(self, dialect: Dialect, added: tuple[str, ...]) -> Call:
        """Write the read as a call, with these names added to its selection."""
        if self.is_by_filter:
            options = self.query.encode(dialect, added, key_filter=self.key_filter)
            return key_filter_call(self.resource, options)
        return record_call(self.resource, self.key_predicate, self.query.encode(dialect, added))
