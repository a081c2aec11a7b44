"""What people saw, and what ERP, store, audit, logs and processes say at the end: plain values."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal


class Outcome(enum.Enum):
    """What a client knows of something that it asked for."""

    MADE = "made"
    NOT_MADE = "not made"
    UNKNOWN = "unknown"


_MAYBE_DONE = frozenset({"outcome_unknown", "interrupted", "maybe_in_approval", "first_outcome_unknown"})
"""The codes that leave it open (docs/errors.md)."""


def outcome_of(status: int | None, code: str | None) -> Outcome:
    """Say what an answer tells of a write.

    Args:
        status: of the answer; None where none came.
        code: of a refusal; None where the answer is no problem of the service.
    """
    if status is None:
        return Outcome.UNKNOWN
    if status < 300:
        return Outcome.MADE
    return Outcome.UNKNOWN if code is None or code in _MAYBE_DONE else Outcome.NOT_MADE


@dataclass
class Create:
    """An order that somebody wanted; the tries of one have one key."""

    who: str
    reference: str
    keyed: bool
    tries: list[Outcome] = field(default_factory=list)
    entry: int | None = None

    @property
    def outcome(self) -> Outcome:
        """What the tries tell together."""
        for known in (Outcome.MADE, Outcome.UNKNOWN):
            if known in self.tries:
                return known
        return Outcome.NOT_MADE


@dataclass(frozen=True)
class Change:
    """A value that somebody wrote into an order of their own; all of one order come one after the other."""

    who: str
    entry: int
    value: str
    outcome: Outcome


@dataclass
class Plan:
    """A planning that somebody wanted, and what they saw of it; its comment is the reference."""

    who: str
    reference: str
    outcome: Outcome
    number: int | None = None
    seen_made: set[int] = field(default_factory=set)
    """Entries of returns that an answer said were made."""
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
    """The ledger's number, where the record names it."""


Piece = tuple[int, int, Decimal]
"""Entry and line of a receipt, and how much of it goes back."""


@dataclass(frozen=True)
class Document:
    """A document of a planning, as its record says."""

    number: int
    state: str
    entry: int | None
    pieces: tuple[Piece, ...]
    message: str = ""

    @property
    def is_told_to_differ(self) -> bool:
        """True if it says that it may be another than planned: a plan came late into its execution."""
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
    """Which of its processes."""
    age_s: float
    memory: int
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Recovery:
    """How long a service needed after something."""

    what: str
    name: str
    seconds: float | None
    """None: it had not come back when the patience was over."""


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
    """Status and code of the services' answers, and how many there were."""
    log_lines: Sequence[str] = ()
    """Lines of the services' logs that nobody expects."""
    chain: str | None = None
    """What is wrong with the audit's chain."""
    ends: Sequence[str] = ()
    """Services that did not end in order."""
