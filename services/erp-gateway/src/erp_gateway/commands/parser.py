"""The subcommands `permissions`, `audit`, `backup` and `store`."""

import argparse
import asyncio

from erp_gateway.commands.audit import add_audit_command
from erp_gateway.commands.context import CommandContext, CommandRefusedError, discard
from erp_gateway.commands.permissions import add_permissions_command
from erp_gateway.commands.store_copy import add_backup_command, add_store_command
from erp_gateway.storage.errors import StoreNotUsable, StoreUnavailable


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `permissions list|grant|revoke`, `audit export|verify`, `backup PATH` and `store copy`."""
    add_permissions_command(subparsers)
    add_audit_command(subparsers)
    add_backup_command(subparsers)
    add_store_command(subparsers)


def run_command(arguments: argparse.Namespace, context: CommandContext) -> int:
    """Run the command that was parsed and print what it refuses.

    Log lines must not go where `context.out` goes, since programs read that.

    Returns:
        the exit code: 0 done, 1 refused or failed.
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
