"""In: several writes as values, that the ERP is to do all or not at all (SAP manual 1.29, section 3.9).
Out: one of four results as a value; in between stands one ``$batch``.
"""

from erpclient.batch.operations import Operation, action_on, creation_of, modification_of
from erpclient.batch.results import (
    ChangeSetDone,
    ChangeSetNotSent,
    ChangeSetRefused,
    ChangeSetResult,
    ChangeSetUnknown,
    OperationDone,
)

__all__ = [
    "ChangeSetDone",
    "ChangeSetNotSent",
    "ChangeSetRefused",
    "ChangeSetResult",
    "ChangeSetUnknown",
    "Operation",
    "OperationDone",
    "action_on",
    "creation_of",
    "modification_of",
]
