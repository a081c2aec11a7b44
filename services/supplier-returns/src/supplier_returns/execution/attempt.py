"""One document in a run, from its first look-up to its end."""

from collections.abc import Sequence
from datetime import datetime

from attrs import define, field

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.evidence import Evidence, Stage
from supplier_returns.execution.rules.return_body import (
    DocumentLines,
    lines_by_document,
)
from supplier_returns.execution.rules.steps import Finish
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation
from supplier_returns.planning.model.planning import Planning


@define
class Attempt:
    """What a run does with one document.

    Attributes:
        before: The document as the run met it.
        document: As it is now.
        lines: What is in it, which no run changes.
        finish: Its end, where a look-up alone decided it.
        is_sent: Whether a post of it was begun.
    """

    before: SupplierDocument
    document: SupplierDocument
    lines: DocumentLines
    evidence: Evidence = field(factory=Evidence)
    finish: Finish | None = None
    is_sent: bool = False

    @classmethod
    def at_each(cls, planning: Planning, doc_ids: Sequence[int]) -> "list[Attempt]":
        """Begin with these documents of a planning, in their order."""
        documents = {document.doc_id: document for document in planning.documents}
        lines = lines_by_document(planning)
        return [cls(documents[each], documents[each], lines.get(each, {})) for each in doc_ids]

    @property
    def parts(self) -> list[Allocation]:
        """Parts of planning lines that are in the document."""
        return [part for line in self.lines.values() for part in line]

    def attempt_recorded(self, at: datetime) -> SupplierDocument:
        """Return the document as its attempt is to be recorded now."""
        return recorded_outcomes.attempt_recorded(
            self.document, at, is_first=self.evidence.stage is Stage.LOOKING_BACK
        )
