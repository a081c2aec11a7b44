"""`permissions list|grant|revoke`: changes take effect in a running service within a second."""

import argparse
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from erp_gateway.audit.recorder import open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.commands.context import CommandContext, CommandRefusedError, open_store
from erp_gateway.people.permissions.errors import LastAdministrator, PermissionsNotFound, ReservedUser
from erp_gateway.people.permissions.patterns import InvalidPatternsError, pattern_problem
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.people.permissions.store import Permission
from erp_gateway.values.audit_event import Actor
from erp_gateway.values.user_names import SystemName
from servicekit.clock import iso_utc
from servicekit.endpoint.shapes import unstructure

CLI: Final = Actor(web_user=SystemName.CLI)
"""Actor of changes from the command line, in the audit and in `updatedBy`."""


def add_permissions_command(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> None:
    """Declare the command and its three subcommands."""
    parser = subparsers.add_parser("permissions", help="show or change menu permissions")
    forms = parser.add_subparsers(required=True, metavar="list|grant|revoke")

    show = forms.add_parser("list", help="show everybody's permissions")
    show.add_argument("--json", action="store_true", help="one JSON object per line")
    show.set_defaults(run=list_permissions)

    grant = forms.add_parser("grant", help="add patterns to a web user's permissions")
    grant.add_argument("user", metavar="USER", help="web user, exactly as in the ERP")
    grant.add_argument("patterns", metavar="PATTERN", nargs="+", help="*, /x/* or /x/y (quote the asterisk)")
    grant.set_defaults(run=grant_permissions)

    revoke = forms.add_parser("revoke", help="take patterns from a web user's permissions")
    revoke.add_argument("user", metavar="USER", help="web user, exactly as in the ERP")
    what = revoke.add_mutually_exclusive_group(required=True)
    what.add_argument("patterns", metavar="PATTERN", nargs="*", default=[], help="patterns to take away")
    what.add_argument("--all", action="store_true", help="remove the user's entry")
    revoke.set_defaults(run=revoke_permissions)


async def list_permissions(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Print one line per web user."""
    async with _open_service(context, may_create=False) as service:
        for permission in service.list_all():
            print(_as_json(permission) if arguments.json else _as_line(permission), file=context.out)


async def grant_permissions(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Add patterns and print the user's patterns."""
    _check(arguments.patterns)
    if not arguments.user.strip():
        raise CommandRefusedError("the web user's name is empty")
    async with _open_service(context, may_create=True) as service:
        try:
            permission = await service.grant(arguments.user, arguments.patterns, actor=CLI)
        except ReservedUser:
            raise CommandRefusedError(f"{arguments.user} is a name of the service itself") from None
        except InvalidPatternsError:
            raise CommandRefusedError(f"{arguments.user} would have too many patterns") from None
    print(_as_line(permission), file=context.out)


async def revoke_permissions(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Remove patterns, or the whole entry, and print the rest."""
    _check(arguments.patterns)
    async with _open_service(context, may_create=False) as service:
        try:
            if arguments.all:
                await service.remove(arguments.user, actor=CLI)
                print(f"{arguments.user}\t(no entry)", file=context.out)
            else:
                permission = await service.revoke(arguments.user, arguments.patterns, actor=CLI)
                print(_as_line(permission), file=context.out)
        except LastAdministrator:
            raise CommandRefusedError(
                f"{arguments.user} is the last administrator who can sign in; "
                "grant * to somebody else, who then signs in once"
            ) from None
        except PermissionsNotFound:
            raise CommandRefusedError(f"{arguments.user} has no permissions entry") from None


@asynccontextmanager
async def _open_service(context: CommandContext, *, may_create: bool) -> AsyncIterator[PermissionService]:
    async with (
        open_store(context.store, may_create=may_create) as database,
        open_recorder(AuditStore(database), context.clock) as recorder,
    ):
        service = PermissionService(database, recorder, context.clock)
        await service.reload()
        yield service


def _check(patterns: Sequence[str]) -> None:
    for text in patterns:
        if pattern_problem(text) is not None:
            raise CommandRefusedError(f"{text!r} is no route pattern; allowed: *, /x/*, /x/y")


def _as_line(permission: Permission) -> str:
    return "\t".join(
        [
            permission.web_user,
            " ".join(permission.paths) or "(none)",
            iso_utc(permission.updated_at),
            permission.updated_by,
        ]
    )


def _as_json(permission: Permission) -> str:
    return json.dumps(unstructure(permission), ensure_ascii=False)
