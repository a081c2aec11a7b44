"""Observations of users, and the final state of ERP, store, audit, logs and processes, as plain values."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal


class Outcome(enum.Enum):
    """Outcome of a request as the client knows it."""

    MADE = "made"
    NOT_MADE = "not made"
    UNKNOWN = "unknown"


# The codes that leave it open (docs/errors.md).
_MAYBE_DONE = frozenset({"outcome_unknown", "interrupted", "maybe_in_approval", "first_outcome_unknown"})


def outcome_of(status: int | None, code: str | None) -> Outcome:
    """Return the outcome of a write according to its response.

    Args:
        status: of the response; None without one.
        code: of a refusal; None if the response is not a problem document of the service.
    """
    if status is None:
        return Outcome.UNKNOWN
    if status < 300:
        return Outcome.MADE
    return Outcome.UNKNOWN if code is None or code in _MAYBE_DONE else Outcome.NOT_MADE


@dataclass
class Create:
    """An order that a user wanted; all attempts have one key."""

    who: str
    reference: str
    keyed: bool
    tries: list[Outcome] = field(default_factory=list)
    entry: int | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome of all attempts together."""
        for known in (Outcome.MADE, Outcome.UNKNOWN):
            if known in self.tries:
                return known
        return Outcome.NOT_MADE


@dataclass(frozen=True)
class Change:
    """A value that a user wrote into their own order; changes of one order follow each other."""

    who: str
    entry: int
    value: str
    outcome: Outcome


@dataclass
class Plan:
    """A planning that a user wanted, with their observations; its comment is the reference."""

    who: str
    reference: str
    outcome: Outcome
    number: int | None = None
    seen_made: set[int] = field(default_factory=set)
    """Entries of returns that a response reported as created."""
    closing: Outcome | None = None


@dataclass(frozen=True)
class Order:
    """An order of the ERP."""

    entry: int
    reference: str
    comments: str
    trace: str


@dataclass(frozen=True)
class Row:
    """A write in the gateway's ledger."""

    number: str
    kind: str
    who: str
    resource: str
    state: str
    key: str | None


@dataclass(frozen=True)
class Record:
    """A record of the gateway's audit."""

    who: str
    action: str
    resource: str | None
    key: str | None
    result: str
    write: str | None
    """The ledger's number, if the record has it."""


Piece = tuple[int, int, Decimal]
"""Entry and line of a receipt, and the returned quantity."""


@dataclass(frozen=True)
class Document:
    """A document of a planning according to its record."""

    number: int
    state: str
    entry: int | None
    pieces: tuple[Piece, ...]
    message: str = ""

    @property
    def is_told_to_differ(self) -> bool:
        """True if its message reports that it may differ from the plan, because a change came late."""
        return "ompárela" in self.message or "Revísela" in self.message


@dataclass(frozen=True)
class Planning:
    """A planning of the ERP, as the service shows it."""

    number: int
    reference: str
    state: str
    user: str
    documents: tuple[Document, ...]


@dataclass(frozen=True)
class Return:
    """A return of the ERP."""

    entry: int
    planning: int | None
    key: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Sample:
    """A process at a moment of its life."""

    name: str
    life: int
    """Number of the process among those of a service."""
    age_s: float
    memory: int
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Recovery:
    """Recovery time of a service after an event."""

    what: str
    name: str
    seconds: float | None
    """None if it had not recovered when the time was over."""


@dataclass
class Evidence:
    """All that is judged."""

    traced: bool
    creates: Sequence[Create] = ()
    changes: Sequence[Change] = ()
    plans: Sequence[Plan] = ()
    orders: Sequence[Order] = ()
    rows: Sequence[Row] = ()
    records: Sequence[Record] = ()
    plannings: Sequence[Planning] = ()
    returns: Sequence[Return] = ()
    samples: Sequence[Sample] = ()
    sessions: Sequence[int] = ()
    """At the ERP, in the half without kills."""
    recoveries: Sequence[Recovery] = ()
    health_worst_s: float = 0.0
    answers: Sequence[tuple[int, str, int]] = ()
    """Number of responses by status and code."""
    log_lines: Sequence[str] = ()
    """Unexpected lines of the services' logs."""
    chain: str | None = None
    """Faults of the audit's chain."""
    ends: Sequence[str] = ()
    """Services that did not end in order."""
