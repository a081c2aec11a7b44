"""Faults, and the journal of requests."""

import enum
import re
from collections.abc import Mapping
from typing import Any

from attrs import asdict, define, field, frozen


class Phase(enum.Enum):
    """Phase of a conversation in which a fault applies."""

    INIT = "init"
    AUTHENTICATE = "authenticate"
    CONNECT = "connect"
    PREPARE = "prepare"
    EXECUTE = "execute"
    FETCH = "fetch"
    READLOB = "readlob"
    CLOSERESULT = "closeresult"
    COMMIT = "commit"
    ROLLBACK = "rollback"


@define
class Fault:
    """A fault for matching requests.

    Attributes:
        phase: phase in which it applies.
        sql: regular expression that the statement must contain; empty for any.
        skip: number of matching requests before the first affected one.
        times: number of affected requests; None for all.
        delay_s: wait before going on; ends early when the statement is cancelled or the client hangs up.
        error: (code, text) to answer instead.
        drop: ``"close"`` or ``"reset"`` the connection instead of answering.
        cut_at: number of bytes of the reply after which the connection is closed.
        trickle_s: send the reply in 64 pieces with that pause between them.
    """

    phase: Phase
    sql: str = ""
    skip: int = 0
    times: int | None = None
    delay_s: float = 0.0
    error: tuple[int, str] | None = None
    drop: str | None = None
    cut_at: int | None = None
    trickle_s: float | None = None

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Fault":
        """Read a fault from the control port's JSON."""
        error = fields.get("error")
        changed = {"phase": Phase(fields["phase"]), "error": tuple(error) if error else None}
        return cls(**{**fields, **changed})

    def strikes(self, phase: Phase, sql: str) -> bool:
        """Count a request and return whether the fault applies."""
        if phase is not self.phase or (self.sql and not re.search(self.sql, sql)):
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self.times is None:
            return True
        self.times -= 1
        return self.times >= 0


@frozen
class Entry:
    """Journal entry of a request or event.

    Attributes:
        connection: the server's number of the connection.
        event: message name, or ``open``, ``close``, ``client_gone``, ``cancelled``.
        commit: the commit flag: the only sign of autocommit.
        sql: the statement, where there is one.
        values: bound values as text.
        rows: rows sent in a reply.
        fetch_size: requested rows.
    """

    connection: int
    event: str
    commit: bool = False
    sql: str = ""
    values: tuple[tuple[str | None, ...], ...] = ()
    rows: int = 0
    fetch_size: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the control port's JSON."""
        return asdict(self)


@define
class Trouble:
    """Active faults and the journal."""

    faults: list[Fault] = field(factory=list)
    journal: list[Entry] = field(factory=list)

    def find(self, phase: Phase, sql: str = "") -> Fault | None:
        """Return the first fault that applies."""
        return next((fault for fault in self.faults if fault.strikes(phase, sql)), None)

    def reset(self) -> None:
        """Forget faults and journal."""
        self.faults.clear()
        self.journal.clear()
