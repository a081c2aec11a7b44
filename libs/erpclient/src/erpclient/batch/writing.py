"""A change set written as one ``$batch`` call."""

import re
from collections.abc import Sequence
from typing import Final

from erpclient.batch.operations import Operation
from erpclient.http.calls import Call

MAX_OPERATIONS: Final = 100
"""Maximum number of operations in one change set. The ERP documents no limit; its own scripts stop at 10
in a transaction.
"""

_PATH: Final = re.compile(r"/[\x21-\x7e]{1,16000}")


def batch_call(operations: Sequence[Operation], *, root_path: str, guid: str) -> Call:
    """Build the call of one change set.

    Lines end in CRLF, boundaries are unquoted, and each part has a ``Content-ID`` from 1 up: v2 requires one
    on each (code 244), and a repeated one was once answered with -1116.

    Args:
        operations: 1 to 100 writes.
        root_path: the service root without its origin: ``/b1s/v1``.
        guid: letters, digits and hyphens that occur in no body.

    Raises:
        ValueError: no operations, too many, one that is not a write, or one with an invalid path.
    """
    if not 1 <= len(operations) <= MAX_OPERATIONS:
        raise ValueError(f"a change set holds 1 to {MAX_OPERATIONS} operations, not {len(operations)}")
    batch, change_set = f"batch_{guid}", f"changeset_{guid}"
    parts = [
        f"--{batch}\r\nContent-Type: multipart/mixed;boundary={change_set}\r\n\r\n".encode(),
        *(_part(operation, number, change_set, root_path) for number, operation in enumerate(operations, 1)),
        f"--{change_set}--\r\n--{batch}--\r\n".encode(),
    ]
    headers = {"Accept": "multipart/mixed", "Content-Type": f"multipart/mixed;boundary={batch}"}
    return Call("POST", "$batch", "/$batch", headers, b"".join(parts), write=True)


def _part(operation: Operation, number: int, boundary: str, root_path: str) -> bytes:
    if not operation.write or not _PATH.fullmatch(operation.path):
        raise ValueError(f"operation {number} has no place in a change set")
    head = [
        f"--{boundary}",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        f"Content-ID: {number}",
        "",
        f"{operation.method} {root_path}{operation.path}",
        *(f"{name}: {value}" for name, value in operation.headers.items()),
        *(["Content-Type: application/json"] if operation.body is not None else []),
        "",
        "",
    ]
    return "\r\n".join(head).encode() + (operation.body or b"") + b"\r\n"
