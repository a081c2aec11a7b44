"""Change sets, and several reads, in one ``$batch`` call (SAP manual 1.29, section 3.9)."""

from erpclient.batch.operations import Operation, action_on, creation_of, modification_of
from erpclient.batch.reading import read_change_set
from erpclient.batch.reads import BatchRead, BatchResult, ReadBatch
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
    "BatchRead",
    "BatchResult",
    "ChangeSetDone",
    "ChangeSetNotSent",
    "ChangeSetRefused",
    "ChangeSetResult",
    "ChangeSetUnknown",
    "Operation",
    "OperationDone",
    "ReadBatch",
    "action_on",
    "batch_call",
    "creation_of",
    "modification_of",
    "read_change_set",
    "result_of",
]
