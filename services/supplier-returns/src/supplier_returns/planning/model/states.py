"""States of plannings, documents and lines.

Each member declares its API name (the `value`) and its letters in the ERP record. A document state also
declares its meaning for the return in the ERP. To add a state, add a member here, its letters to the field's
valid values in `metadata/definitions`, and its label to the console's `words.js`.
"""

import enum
from typing import Self


class StoredState(enum.Enum):
    """State that the ERP record stores as letters. A member without letters is never stored.

    Attributes:
        letters: value in the record.
    """

    letters: str

    def __new__(cls, name: str, letters: str = "", *_: object) -> Self:
        """Create a member whose value is its API name."""
        member = object.__new__(cls)
        member._value_ = name
        member.letters = letters
        return member


class PlanningState(StoredState):
    """State of a planning. If the ERP record is closed, the state is `CLOSED` regardless of its letter."""

    PLANNED = "planificada", "P"
    RUNNING = "en_proceso", "E"
    WITH_ERRORS = "con_errores", "X"
    DONE = "ejecutada", "T"
    CLOSED = "cerrada"
    UNREADABLE = "ilegible"
    """Only in lists: another program damaged the record."""


RECORDED_STATES = tuple(each for each in PlanningState if each.letters)
"""States by which a list can be narrowed."""


class Outcome(enum.Enum):
    """Meaning of a document state for the return in the ERP."""

    NOT_SENT = enum.auto()
    """Nothing was sent. The lines can be planned again."""
    REFUSED = enum.auto()
    """The ERP has no return. `SupplierDocument.needs_new_key` names the exceptions."""
    STARTED = enum.auto()
    """An attempt is on record. The process may have stopped before or after it sent the return."""
    UNKNOWN = enum.auto()
    """The return was sent, and it is unknown whether the ERP will have it."""
    MADE = enum.auto()
    """The ERP has the return."""
    CANCELLED = enum.auto()
    """The ERP had the return, and a user cancelled it there."""


class DocumentState(StoredState):
    """State of a supplier document.

    Attributes:
        outcome: meaning of the state for the return in the ERP.
    """

    outcome: Outcome

    def __init__(self, name: str, letters: str, outcome: Outcome) -> None:  # noqa: ARG002 - see `__new__`
        self.outcome = outcome

    PENDING = "pendiente", "P", Outcome.NOT_SENT
    RUNNING = "en_proceso", "E", Outcome.STARTED
    UNCERTAIN = "incierto", "I", Outcome.UNKNOWN
    CREATED = "creado", "C", Outcome.MADE
    FAILED = "error", "X", Outcome.REFUSED
    IN_APPROVAL = "en_aprobacion", "B", Outcome.UNKNOWN
    OMITTED = "omitido", "O", Outcome.NOT_SENT
    CANCELLED = "anulado", "A", Outcome.CANCELLED

    @property
    def holds_lines(self) -> bool:
        """True if an attempt or a result is recorded, so that its lines can't be planned again."""
        return self.outcome is not Outcome.NOT_SENT

    @property
    def is_unresolved(self) -> bool:
        """True if the result is unknown."""
        return self.outcome in (Outcome.STARTED, Outcome.UNKNOWN)

    @property
    def is_made(self) -> bool:
        """True if the ERP created the return, even if it was cancelled later: the stock reflects it."""
        return self.outcome in (Outcome.MADE, Outcome.CANCELLED)

    @property
    def is_not_made(self) -> bool:
        """True if the ERP has no return according to the record."""
        return self.outcome in (Outcome.NOT_SENT, Outcome.REFUSED)

    @property
    def may_exist(self) -> bool:
        """True if the ERP has a live return, or may have one."""
        return self.is_unresolved or self.outcome is Outcome.MADE

    @property
    def was_posted(self) -> bool:
        """True if a run that leaves the document in this state has posted it."""
        return self.outcome in (Outcome.UNKNOWN, Outcome.MADE, Outcome.CANCELLED)


class LineState(StoredState):
    """State of a line. The ERP stores it for reports."""

    PLANNED = "planificada", "PL"
    PARTIAL = "parcial", "PA"
    NO_STOCK = "sin_stock", "SS"
    NO_RECEIPT = "sin_entrada", "SE"
    INDIVISIBLE = "no_divisible", "ND"
    NEEDS_PICKS = "requiere_lotes", "RL"
    EXCLUDED = "excluida", "EX"
    RETURNED = "devuelta", "DV"
    FAILED = "error", "ER"
    DROPPED = "descartada", "DE"

    @property
    def is_final(self) -> bool:
        """True if the line takes no more stock."""
        return self in (LineState.EXCLUDED, LineState.RETURNED, LineState.DROPPED)
