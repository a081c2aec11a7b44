"""`audit verify`: whether the audit records are those that were written."""

import argparse
import re
from typing import TYPE_CHECKING, Final

from erp_gateway.audit.chain import AuditChain, ChainedRecord
from erp_gateway.audit.verification import ChainCheck
from erp_gateway.commands.context import CommandContext, CommandRefusedError, open_store
from erp_gateway.storage.audit_chain import ChainEnd

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_HEAD: Final = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")
_MOST_TOLD: Final = 20


def add_verify_form(forms: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the form."""
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


async def verify_audit(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Walk the whole chain and tell every fault, at most 20 by name."""
    async with open_store(context.store, may_create=False) as database:
        chain = AuditChain(database)
        check = ChainCheck(head=await chain.head(), logged=tuple(arguments.head))
        async for step in chain.walk():
            if isinstance(step, ChainedRecord):
                check.take(step)
            else:
                check.begin(step)
    faults = check.finish()
    for fault in faults[:_MOST_TOLD]:
        print(fault, file=context.out)
    if faults:
        raise CommandRefusedError(f"the audit log is not as it was written: faults found: {len(faults)}")
    print(f"{check.records} records, each follows from the one before it", file=context.out)
    print(f"head {check.last.as_text()}", file=context.out)


def _head(text: str) -> ChainEnd:
    match = _HEAD.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no head; allowed: ID:CHAIN as the log tells it")
    return ChainEnd(int(match[1]), match[2])
