"""`audit export`: the audit log as JSON lines or CSV, oldest record first; `audit verify`: its chain."""

import argparse
import csv
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import attrs

from erp_gateway.audit.chain import AuditChain, check_chain
from erp_gateway.audit.query import parse_audit_query
from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.commands.context import CommandContext, CommandRefusedError, open_store
from erp_gateway.storage.audit_chain import MEMBERS, ChainEnd
from servicekit.errors import InvalidQuery

_HEAD: Final = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")
_MOST_TOLD: Final = 20


async def verify_audit(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Walk the whole chain and tell every fault, at most 20 by name."""
    async with open_store(context.store, may_create=False) as database:
        check = await check_chain(AuditChain(database), *arguments.head)
    for fault in check.faults[:_MOST_TOLD]:
        print(fault, file=context.out)
    if check.faults:
        raise CommandRefusedError(
            f"the audit log is not as it was written: faults found: {len(check.faults)}"
        )
    print(f"{check.records} records, each follows from the one before it", file=context.out)
    print(f"head {check.last.as_text()}", file=context.out)


def _head(text: str) -> ChainEnd:
    match = _HEAD.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no head; allowed: ID:CHAIN as the log tells it")
    return ChainEnd(int(match[1]), match[2])


COLUMNS: Final = (*MEMBERS, "chain")
"""Names of the JSON members and of the CSV columns, in order."""

_FILTERS: Final = ("usuario", "accion", "recurso", "clave", "resultado", "desde", "hasta")
_STARTS_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


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
        help="as a log line `audit_head` tells it; may be given more than once",
    )
    verify.set_defaults(run=verify_audit)


async def export_audit(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Write all records that meet the filters."""
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
    given = {name: getattr(arguments, name) or "" for name in _FILTERS}
    try:
        return parse_audit_query(given, context.timezone).conditions
    except InvalidQuery as error:
        told = "; ".join(f"{problem.path}: {problem.message}" for problem in error.errors)
        raise CommandRefusedError(told) from None


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
    return _csv_row(tuple("" if value is None else _inert(str(value)) for value in members.values()))


def _inert(cell: str) -> str:
    """Keep a spreadsheet from running a cell: names and keys come from whoever typed them."""
    return f"'{cell}" if cell.startswith(_STARTS_FORMULA) else cell


def _csv_row(cells: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
