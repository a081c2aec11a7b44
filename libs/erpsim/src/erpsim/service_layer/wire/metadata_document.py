"""`$metadata`: your own export unchanged, or a document written from the facts."""

from __future__ import annotations

from collections.abc import Callable

from erpsim.company.exchange import Dialect
from erpsim.facts.model import Facts
from erpsim.service_layer.wire.edmx import write_v1, write_v2
from erpsim.service_layer.wire.messages import SlReply
from erpsim.service_layer.wire.wire_format import WireFormat

_V2_MARK = b"http://docs.oasis-open.org/odata/ns/edmx"
_LOOKED_AT_BYTES = 4_096


class MetadataDocuments:
    """Metadata documents of both generations, written on first use.

    Args:
        facts: returns the facts.
        export: a `$metadata` export that is served unchanged to its own generation.
    """

    def __init__(self, facts: Callable[[], Facts], export: bytes | None = None) -> None:
        self._facts = facts
        self._export = export
        self._export_dialect = None if export is None else dialect_of(export)
        self._documents: dict[Dialect, bytes] = {}
        self._written_of: Facts | None = None

    def reply(self, wire: WireFormat) -> SlReply:
        """Return the document of this generation."""
        if self._export is not None and self._export_dialect is wire.dialect:
            body = self._export
        else:
            body = self._written(wire.dialect)
        return SlReply(
            status=200, headers=(("Content-Type", "application/xml;charset=utf-8"), wire.version), body=body
        )

    def _written(self, dialect: Dialect) -> bytes:
        """Return the document of the current facts, written again after new user tables, fields or
        objects.
        """
        facts = self._facts()
        if facts is not self._written_of:
            self._documents, self._written_of = {}, facts
        if dialect not in self._documents:
            self._documents[dialect] = (write_v1 if dialect is Dialect.V1 else write_v2)(facts)
        return self._documents[dialect]


def dialect_of(export: bytes) -> Dialect:
    """Return the generation of a `$metadata` export, determined by its namespace."""
    return Dialect.V2 if _V2_MARK in export[:_LOOKED_AT_BYTES] else Dialect.V1
