"""In: scripted trouble, from a test or over the control port, and every call that arrives.
Out: what each call meets, and which calls there were; values only, the servers apply them.
"""

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
from erpsim.faults.fault_book import Fault, FaultBook, company_unavailable

__all__ = [
    "Action",
    "Answer",
    "BadGateway",
    "ChangeNode",
    "CommitLate",
    "CutAfterAnswer",
    "Delay",
    "DeliveryAction",
    "Drip",
    "Drop",
    "ExpireSession",
    "Fault",
    "FaultBook",
    "Garbage",
    "GzipBomb",
    "Hang",
    "OmitRoute",
    "Oversize",
    "Refuse",
    "Truncate",
    "When",
    "company_unavailable",
]
