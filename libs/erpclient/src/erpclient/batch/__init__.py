"""Change sets: several writes that the ERP does all or not at all (SAP manual 1.29, section 3.9).

In come operations as values, out comes one of four results as a value; in between stands one ``$batch``.
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
