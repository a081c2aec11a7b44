"""The events of a run and their times, determined by the seed before the start."""

import enum
import random
from dataclasses import dataclass

GAP_S = (8.0, 25.0)
LEAST_LEFT_S = 15.0
"""No event starts so shortly before the end, because recovery is part of the run."""


class Kind(enum.Enum):
    """Kinds of events; the values are words of the table."""

    KILL = "SIGKILL"
    STOP = "SIGTERM"
    FREEZE = "frozen"
    ERP_REFUSES = "ERP refuses connections"
    ERP_SILENT = "ERP silent"
    ERP_FROZEN = "ERP frozen"
    ERP_KILLED = "ERP killed"
    ERP_STOPPED = "ERP restarted"
    SESSIONS = "all ERP sessions ended"
    MISCHIEF = "late commits and balancers"


OF_SERVICES = (Kind.KILL, Kind.STOP, Kind.FREEZE)
OF_ERP = (
    Kind.ERP_REFUSES,
    Kind.ERP_SILENT,
    Kind.ERP_FROZEN,
    Kind.ERP_KILLED,
    Kind.ERP_STOPPED,
    Kind.SESSIONS,
    Kind.MISCHIEF,
    Kind.MISCHIEF,
)
AWAY_S = (3.0, 12.0)
"""Shorter than the time after which a service reports that nothing was done."""

LASTS_S = {
    Kind.FREEZE: (2.0, 8.0),
    Kind.ERP_REFUSES: AWAY_S,
    Kind.ERP_SILENT: AWAY_S,
    Kind.ERP_FROZEN: AWAY_S,
}
SERVICES = ("erp-gateway", "supplier-returns")


@dataclass(frozen=True)
class Event:
    """An event."""

    at_s: float
    kind: Kind
    service: str | None
    """The affected service; None for the ERP."""
    lasts_s: float


def plan_weather(seed: int, seconds: float) -> list[Event]:
    """Plan the events: in the first half of services and ERP, then only of the ERP.

    Each kind comes once before any is repeated. In the second half, processes live long enough to detect
    growth.
    """
    dice = random.Random(f"{seed}/weather")
    events: list[Event] = []
    of_services = [(kind, service) for kind in OF_SERVICES for service in SERVICES]
    of_erp: list[tuple[Kind, str | None]] = [(kind, None) for kind in OF_ERP]
    deck: list[tuple[Kind, str | None]] = []
    at_s = dice.uniform(*GAP_S)
    while at_s < seconds - LEAST_LEFT_S:
        if not deck:
            deck = [*of_services, *of_erp] if at_s < seconds / 2 else of_erp.copy()
            dice.shuffle(deck)
        kind, service = deck.pop()
        if service is not None and at_s >= seconds / 2:
            continue
        events.append(Event(at_s, kind, service, dice.uniform(*LASTS_S.get(kind, (0.0, 0.0)))))
        at_s += events[-1].lasts_s + dice.uniform(*GAP_S)
    return events


def mischief(dice: random.Random) -> list[dict[str, object]]:
    """Return faults of the simulator that no wire has: late commits, sessions, nodes."""
    late = {"kind": "commit-late", "seconds": round(dice.uniform(0.2, 3.0), 1)}
    page = {"kind": "bad-gateway", "when": dice.choice(("before-work", "after-work"))}
    return [
        {"method": "POST", "path": dice.choice(("Orders", "$batch")), "action": late},
        {
            "method": "POST",
            "path": dice.choice(("Orders", "$batch")),
            "action": page,
            "nth": dice.randint(1, 5),
        },
        {"method": "PATCH", "path": "LIB_ODEV*", "action": late},
        {"path": "*", "action": {"kind": "expire-session"}, "nth": dice.randint(1, 20)},
        {"path": "*", "action": {"kind": "change-node", "node": 2}, "nth": dice.randint(1, 20)},
        {"path": "*", "action": {"kind": "truncate", "keep_bytes": 40}, "nth": dice.randint(1, 20)},
    ]
