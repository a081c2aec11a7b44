"""`audit export`: write the audit log as JSON lines or CSV, oldest first; `audit verify`: check its chain."""

import argparse
import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import attrs

from erp_gateway.audit.chain_check import ChainCheck, check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.log_lines import LoggedChain
from erp_gateway.audit.query import parse_audit_query
from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.commands.context import CommandContext, CommandRefusedError, open_store
from erp_gateway.store.chain_hash import MEMBERS, ChainPosition, parse_position
from servicekit.csv_cells import neutralised
from servicekit.errors import InvalidQuery

_MAX_PRINTED: Final = 20
_GZIP: Final = b"\x1f\x8b"


async def verify_audit(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Check the whole chain and print its faults, at most 20."""
    log = _read_logs(arguments.log)  # before the store, so that the store has every record of the log
    async with open_store(context.store, may_create=False) as database:
        check = await check_chain(AuditChain(database), *arguments.head, log=log)
    for sentence in _describe_log(check) if arguments.log else ():
        print(sentence, file=context.err)
    for fault in check.faults[:_MAX_PRINTED]:
        print(fault, file=context.out)
    if check.faults:
        raise CommandRefusedError(
            f"the audit log is not as it was written: faults found: {len(check.faults)}"
        )
    print(f"{check.records} records, each follows from the one before it", file=context.out)
    print(f"head {check.last.as_text()}", file=context.out)


def _describe_log(check: ChainCheck) -> Iterator[str]:
    yield f"log: it has {check.compared} of the {check.records} records"
    if check.deleted_since:
        yield f"log: {check.deleted_since} older records were deleted since, so they can't be compared"
    if check.log.dropped:
        yield f"log: {check.log.dropped} lines of the audit were dropped when they were written"


def _read_logs(paths: Sequence[Path]) -> LoggedChain:
    log = LoggedChain()
    for path in paths:
        try:
            with _open_log(path) as lines:
                log.take(lines)
        except (OSError, EOFError, zlib.error) as error:
            raise CommandRefusedError(f"cannot read {path}: {error}") from None
    if paths and not log.heads:
        raise CommandRefusedError(
            f"there is no line with the head of an audit log in {', '.join(map(str, paths))}"
        )
    return log


@contextmanager
def _open_log(path: Path) -> Iterator[Iterable[str]]:
    """Open a log, compressed or not; `-` is standard input."""
    if path == Path("-"):
        with open(0, encoding="utf-8", errors="replace", closefd=False) as lines:
            yield lines
        return
    with path.open("rb") as file:
        is_gzip = file.read(len(_GZIP)) == _GZIP
    if is_gzip:
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
            yield lines
    else:
        with path.open(encoding="utf-8", errors="replace") as plain:
            yield plain


def _head(text: str) -> ChainPosition:
    end = parse_position(text)
    if end is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no head; allowed: ID:CHAIN as the log tells it")
    return end


COLUMNS: Final = (*MEMBERS, "chain")
"""Names of the JSON members and of the CSV columns, in order."""

_FILTERS: Final = ("usuario", "accion", "recurso", "clave", "resultado", "desde", "hasta")


def add_audit_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("audit", help="write out the audit log, or verify it")
    forms = parser.add_subparsers(required=True, metavar="export|verify")
    export = forms.add_parser("export", help="write records, oldest first")
    export.add_argument("--format", choices=["jsonl", "csv"], default="jsonl", help="default: jsonl")
    export.add_argument("--output", type=Path, metavar="FILE", help="a new file; default: standard output")
    for name in _FILTERS:
        export.add_argument(f"--{name}", metavar="VALUE", help=f"as `{name}` of GET /api/audit")
    export.set_defaults(run=export_audit)
    verify = forms.add_parser("verify", help="tell whether records were changed, removed or moved")
    verify.add_argument(
        "--head",
        type=_head,
        action="append",
        default=[],
        metavar="ID:CHAIN",
        help="as a log line `audit_head` or `AUDIT` has it; may be given more than once",
    )
    verify.add_argument(
        "--log",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="logs of this gateway to compare with, also rotated or compressed ones; - for standard input",
    )
    verify.set_defaults(run=verify_audit)


async def export_audit(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Write all records that match the filters."""
    conditions = _conditions(arguments, context)
    line_of = _csv_line if arguments.format == "csv" else _json_line
    async with open_store(context.store, may_create=False) as database:
        store = AuditStore(database)
        with _open_output(arguments.output, context.out) as out:
            if arguments.format == "csv":
                out.write(_csv_row(COLUMNS))
            records = 0
            async for entry in store.walk(conditions):
                out.write(line_of(entry))
                records += 1
    print(f"{records} records", file=context.err)


def _conditions(arguments: argparse.Namespace, context: CommandContext) -> AuditFilter:
    parameters = {name: getattr(arguments, name) or "" for name in _FILTERS}
    try:
        return parse_audit_query(parameters, context.timezone).conditions
    except InvalidQuery as error:
        message = "; ".join(f"{problem.path}: {problem.message}" for problem in error.errors)
        raise CommandRefusedError(message) from None


@contextmanager
def _open_output(path: Path | None, standard: TextIO) -> Iterator[TextIO]:
    if path is None:
        yield standard
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CommandRefusedError(f"cannot write {path}: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        yield file


def _members(item: AuditItem) -> dict[str, object]:
    return dict(zip(COLUMNS, attrs.astuple(item, recurse=False), strict=True))


def _json_line(entry: AuditItem) -> str:
    return json.dumps(_members(entry), ensure_ascii=False) + "\n"


def _csv_line(entry: AuditItem) -> str:
    members = _members(entry)
    members["fields"] = " ".join(entry.fields)
    members["detail"] = json.dumps(entry.detail) if entry.detail else None
    return _csv_row(tuple("" if value is None else neutralised(str(value)) for value in members.values()))


def _csv_row(cells: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
