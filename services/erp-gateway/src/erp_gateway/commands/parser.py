"""Arguments of `doctor` and of the commands that run beside a running service."""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Final

from erp_gateway.commands.audit import add_audit_command
from erp_gateway.commands.context import CommandContext, CommandRefusedError, discard
from erp_gateway.commands.permissions import add_permissions_command
from erp_gateway.commands.restore import add_restore_command
from erp_gateway.commands.store_copy import add_backup_command, add_store_command
from erp_gateway.commands.throttle import add_throttle_command
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable

# The ERP's numbers of entries are `Edm.Int32`.
_LARGEST_ENTRY: Final = 2**31 - 1


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands that read or change the store beside a running service."""
    add_permissions_command(subparsers)
    _add_attachments_command(subparsers)
    _add_queries_command(subparsers)
    add_throttle_command(subparsers)
    add_audit_command(subparsers)
    add_backup_command(subparsers)
    add_restore_command(subparsers)
    add_store_command(subparsers)


def _add_attachments_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("attachments", help="repair which files a record refers to")
    form = parser.add_subparsers(dest="form", required=True, metavar="bind").add_parser(
        "bind", help="let a record refer to files that were stored for it"
    )
    form.add_argument("resource", metavar="RESOURCE", help="registered resource, such as Orders")
    form.add_argument("key", metavar="KEY", help="key of the record, as in the API's path")
    form.add_argument(
        "entry", metavar="ENTRY", type=_entry, help="the `attachmentEntry` of the answer `outcome_unknown`"
    )


def _add_queries_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("queries", help="install the stored queries of the extensions in the ERP")
    forms = parser.add_subparsers(dest="form", required=True, metavar="list|install")
    forms.add_parser("list", help="compare the declared queries with those of the ERP; 1 if one differs")
    install = forms.add_parser("install", help="save missing and older queries in the ERP")
    install.add_argument("--dry-run", action="store_true", help="only print which queries would be saved")


def _entry(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= _LARGEST_ENTRY:
        raise argparse.ArgumentTypeError("must be the number of an entry")
    return int(text)


def run_command(arguments: argparse.Namespace, context: CommandContext) -> int:
    """Run the parsed command and print its error, if any.

    Log lines must not go to `context.out`, because programs read it.

    Returns:
        the exit code: 0 done, 1 rejected or failed.
    """
    try:
        asyncio.run(arguments.run(arguments, context))
        context.out.flush()
    except (CommandRefusedError, StoreNotUsable) as error:
        print(f"error: {error}", file=context.err)
        return 1
    except StoreUnavailable as error:
        print(f"error: the store cannot be used now: {error.__cause__}", file=context.err)
        return 1
    except BrokenPipeError:
        discard(context.out)
        return 1
    return 0


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `doctor`."""
    from erpdoctor.command import add_origin_arguments, add_run_arguments  # noqa: PLC0415 - `serve` must not load the doctor

    add_run_arguments(parser)
    parser.add_argument(
        "--backups",
        type=Path,
        metavar="FOLDER",
        help="where the copies of the store are kept (default: BACKUP_FOLDER)",
    )
    parser.add_argument("--print", metavar="CODE", dest="report", help="also print this registered report")
    parser.add_argument(
        "--values", type=_values, default={}, metavar="JSON", help="its values, one JSON object"
    )
    parser.add_argument(
        "--measure-parallel",
        action="store_true",
        help="measure what calls at the same time cost also beside a running service",
    )
    add_origin_arguments(parser)


def _values(text: str) -> dict[str, object]:
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise argparse.ArgumentTypeError('must be one JSON object, like {"Item": "A1"}')
    return values
