"""Process that writes requests and reads answers, so that hostile XML cannot harm the program.

Run as ``python -m erpclient.tax_documents.reading_process BYTES``. It reads tasks from standard input, writes
results to standard output, and ends when its input closes.
"""

import logging
import resource
import sys
from typing import BinaryIO

from erpclient.tax_documents.messages import (
    LENGTHS,
    Build,
    Envelope,
    Read,
    Reply,
    pack,
    unpack_question,
    unpack_task,
)
from erpclient.tax_documents.soap import Contract


def main() -> None:
    """Run tasks until the input closes. The first argument is the memory limit in bytes.

    Exceeding the limit ends this process alone.
    """
    most_bytes = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.disable()  # zeep's messages hold whole envelopes, with the password
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(tasks: BinaryIO, results: BinaryIO) -> None:
    """Do each task of a stream and write its result."""
    contract = Contract()
    while lengths := tasks.read(LENGTHS.size):
        head_bytes, content_bytes = LENGTHS.unpack(lengths)
        task = unpack_task(tasks.read(head_bytes))
        result, parts = _do(contract, task, tasks.read(content_bytes))
        results.write(pack(result, sum(map(len, parts))))
        results.writelines(parts)
        results.flush()


def _do(contract: Contract, task: object, content: bytes) -> tuple[Envelope | Reply, list[bytes]]:
    if isinstance(task, Build):
        envelope, text = contract.build(unpack_question(content))
        return envelope, [text]
    charset = task.charset if isinstance(task, Read) else None
    return contract.read(content, charset)


if __name__ == "__main__":
    main()
