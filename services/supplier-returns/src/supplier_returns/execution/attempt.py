"""One document in a run, from its first lookup to its result."""

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
    """State of one document in a run.

    Attributes:
        before: document at the start of the run.
        document: document as it is now.
        lines: lines of the document; a run never changes them.
        finish: result, if a lookup before the first post decided it.
        is_sent: whether the run started a post of it.
    """

    before: SupplierDocument
    document: SupplierDocument
    lines: DocumentLines
    evidence: Evidence = field(factory=Evidence)
    finish: Finish | None = None
    is_sent: bool = False

    @classmethod
    def at_each(cls, planning: Planning, doc_ids: Sequence[int]) -> "list[Attempt]":
        """Build attempts for these documents of a planning, in their order."""
        documents = {document.doc_id: document for document in planning.documents}
        lines = lines_by_document(planning)
        return [cls(documents[each], documents[each], lines.get(each, {})) for each in doc_ids]

    @property
    def parts(self) -> list[Allocation]:
        """Parts of planning lines in the document."""
        return [part for line in self.lines.values() for part in line]

    def attempt_recorded(self, at: datetime) -> SupplierDocument:
        """Return the document with this attempt recorded."""
        return recorded_outcomes.attempt_recorded(
            # An attempt that is recorded again before its post is still the same attempt.
            self.document,
            at,
            is_first=self.evidence.stage is Stage.LOOKING_BACK,
        )
