"""The combined effect on one call of all faults that match it."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from erpsim.faults.actions import (
    Action,
    Answer,
    BadGateway,
    ChangeNode,
    CommitLate,
    CutAfterAnswer,
    Delay,
    DeliveryAction,
    Drip,
    Drop,
    ExpireSession,
    Garbage,
    GzipBomb,
    Hang,
    OmitRoute,
    Oversize,
    Refuse,
    Truncate,
    When,
)


@attrs.define(kw_only=True)
class FaultScript:
    """Actions for one call by the moment at which they apply.

    Args:
        delay_s: additional duration of the work.
        drop: the connection goes before reading or before working.
        commits_after_s: the connection closes, and the work is done this much later.
        refuse: error instead of the work.
        instead: response of a server in front, instead of the work.
        after_work: response of a server in front, replacing the real one.
        expire: the call's session, or every session, ends first.
        node: the balancer's new choice.
        omit_route: no route cookie in the answer.
        delivery: change to the transport of the response.
    """

    delay_s: float = 0.0
    drop: Drop | None = None
    commits_after_s: float | None = None
    refuse: Refuse | None = None
    instead: Answer | BadGateway | None = None
    after_work: Answer | BadGateway | None = None
    expire: ExpireSession | None = None
    node: int | None = None
    omit_route: bool = False
    delivery: DeliveryAction | None = None

    @classmethod
    def of(cls, actions: Iterable[Action]) -> FaultScript:
        """Combine actions. Delays add up; of two actions for one moment the later fault wins."""
        script = cls()
        for action in actions:
            script._include(action)
        return script

    def drops(self, when: When) -> bool:
        """Return whether the connection closes at this moment."""
        return self.drop is not None and self.drop.when is when

    def _include(self, action: Action) -> None:
        match action:
            case Delay(seconds=seconds):
                self.delay_s += seconds
            case Drop(when=When.AFTER_WORK):
                self.delivery = action
            case Drop():
                self.drop = action
            case CommitLate(seconds=seconds):
                self.commits_after_s = seconds
            case Refuse():
                self.refuse = action
            case Answer() | BadGateway():
                self._place(action)
            case ExpireSession():
                self.expire = action
            case ChangeNode(node=node):
                self.node = node
            case OmitRoute():
                self.omit_route = True
            case Truncate() | Drip() | Hang() | Garbage() | GzipBomb() | Oversize() | CutAfterAnswer():
                self.delivery = action

    def _place(self, action: Answer | BadGateway) -> None:
        if action.when is When.AFTER_WORK:
            self.after_work = action
        else:
            self.instead = action
