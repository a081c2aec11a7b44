"""In: several writes as values, all of which the ERP does or none (SAP manual 1.29, section 3.9).
Out: one ``$batch`` call, and its reply as one of four results. No I/O.
"""

from erpclient.batch.operations import Operation, action_on, creation_of, modification_of
from erpclient.batch.reading import read_change_set
from erpclient.batch.results import (
    ChangeSetDone,
    ChangeSetNotSent,
    ChangeSetRefused,
    ChangeSetResult,
    ChangeSetUnknown,
    OperationDone,
    result_of,
)
from erpclient.batch.writing import batch_call

__all__ = [
    "ChangeSetDone",
    "ChangeSetNotSent",
    "ChangeSetRefused",
    "ChangeSetResult",
    "ChangeSetUnknown",
    "Operation",
    "OperationDone",
    "action_on",
    "batch_call",
    "creation_of",
    "modification_of",
    "read_change_set",
    "result_of",
]
