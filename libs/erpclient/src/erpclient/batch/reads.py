"""Several reads in one ``$batch`` call (SAP manual 1.29, section 3.9).

The ERP runs them in order and stops at the first one that it refuses, without a reply to the others.
"""

import re
from typing import Final, TypeAlias

from attrs import frozen

from erpclient.batch.reading import read_part_reply, split_parts
from erpclient.errors import ErpRefused, ErpReplyUnreadable
from erpclient.http.bodies import read_list, read_page, read_record
from erpclient.http.calls import Call
from erpclient.http.cleaner import Cleaner
from erpclient.http.error_replies import find_error
from erpclient.http.messages import HttpReply
from erpclient.http.replies import ErpList, ErpRecord, ErpRows
from erpclient.joins import CrossJoin
from erpclient.odata import Dialect
from erpclient.reads import ListRead, RecordRead

MAX_READS: Final = 20
"""Maximum number of reads in one call, which takes the time of all of them."""

BatchRead: TypeAlias = ListRead | RecordRead | CrossJoin
BatchResult: TypeAlias = ErpList | ErpRecord | ErpRows | ErpRefused
"""Result of a list, a record or a cross-join; the refusal of the last one that the ERP ran."""

_PATH: Final = re.compile(r"/[\x21-\x7e]{1,8000}")


@frozen
class ReadBatch:
    """Reads that share one call.

    Attributes:
        reads: 1 to 20 reads; none is tagged, because a batch adds nothing to a selection.
    """

    reads: tuple[BatchRead, ...]

    def to_call(self, *, dialect: Dialect, root_path: str, guid: str) -> Call:
        """Write the reads as one call.

        Args:
            dialect: OData version of the service.
            root_path: the service root without its origin: ``/b1s/v1``.
            guid: letters, digits and hyphens that occur in no read.

        Raises:
            ValueError: no reads, too many, or one with an invalid path.
        """
        if not 1 <= len(self.reads) <= MAX_READS:
            raise ValueError(f"a batch holds 1 to {MAX_READS} reads, not {len(self.reads)}")
        boundary = f"batch_{guid}"
        calls = [
            read.to_call() if isinstance(read, CrossJoin) else read.to_call(dialect, ())
            for read in self.reads
        ]
        parts = [_part(call, boundary, root_path) for call in calls]
        headers = {"Accept": "multipart/mixed", "Content-Type": f"multipart/mixed;boundary={boundary}"}
        return Call("POST", "$batch", "/$batch", headers, b"".join([*parts, f"--{boundary}--\r\n".encode()]))

    def read_results(self, body: bytes, content_type: str) -> tuple[BatchResult, ...]:
        """Read the results: of all reads, or up to the first refused one.

        Raises:
            ErpReplyUnreadable: the reply is malformed.
            ErpServerError: a read failed in the ERP.
        """
        results: list[BatchResult] = []
        parts = split_parts(body, content_type, most=len(self.reads))
        for read, part in zip(self.reads, parts, strict=False):
            result = _read_result(read, read_part_reply(part).reply)
            results.append(result)
            if isinstance(result, ErpRefused):
                break
        if len(results) < len(self.reads) and not isinstance(results[-1], ErpRefused):
            raise ErpReplyUnreadable("a batch with fewer replies than reads")
        return tuple(results)


def _part(call: Call, boundary: str, root_path: str) -> bytes:
    if not _PATH.fullmatch(call.path):
        raise ValueError(f"the path of a read has no place in a batch: {call.resource}")
    head = [
        f"--{boundary}",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        f"{call.method} {root_path}{call.path}",
        *(f"{name}: {value}" for name, value in call.headers.items()),
        *(["Content-Type: application/json"] if call.body is not None else []),
        "",
        "",
    ]
    # A read without a body ends in two empty lines (a user of B1SLayer met the refusal of one).
    return "\r\n".join(head).encode() + (call.body or b"") + b"\r\n"


def _read_result(read: BatchRead, reply: HttpReply) -> BatchResult:
    error = find_error(reply)
    if isinstance(error, ErpRefused):
        return error
    if error is not None:
        raise error
    body = reply.body.strip()
    if isinstance(read, CrossJoin):
        return read_page(body)
    cleaner = Cleaner(read.hidden, true_tags=False)
    if isinstance(read, ListRead):
        return read_list(body, cleaner, read.query.top)
    return read_record(body, None, cleaner)
