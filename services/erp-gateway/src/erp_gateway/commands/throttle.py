"""`throttle list|lift`: failed sign-ins and blocks. A lift reaches a running service within a second."""

import argparse
import json
from datetime import datetime, timedelta

from attrs import frozen

from erp_gateway.audit.recorder import open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.commands.context import CommandContext, CommandRefusedError, open_store
from erp_gateway.people.auth.administration.service import LOGIN_BLOCKS
from erp_gateway.people.auth.persistence.rows import SELECT_FAILURES, parse_failures, request_lift
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.values.user_names import SystemName
from servicekit.clock import iso_utc
from servicekit.endpoint.shapes import unstructure
from servicekit.throttle import BlockScope, Failures, ThrottleLimits, key_of_address, key_of_user


@frozen(kw_only=True)
class ThrottledKey:
    """Failed sign-ins of one user or address.

    Attributes:
        scope: whether `name` is a user or an address.
        name: normalized form, so that all spellings count together.
        failures: number of failures that still count.
        blocked_until: None if it is not blocked.
    """

    scope: BlockScope
    name: str
    failures: int
    blocked_until: datetime | None


def describe(failures: Failures, limits: ThrottleLimits, now: datetime) -> ThrottledKey | None:
    """Return a key's failures that still count, or None if there are none."""
    recent_ages_s = [age_s for age_s in failures.ages_s if age_s < limits.window_s]
    if not recent_ages_s:
        return None
    limit = limits.per_user if failures.scope is BlockScope.USER else limits.per_address
    is_blocked = len(recent_ages_s) >= limit
    until = now + timedelta(seconds=limits.window_s - max(recent_ages_s))
    return ThrottledKey(
        scope=failures.scope,
        name=failures.key,
        failures=len(recent_ages_s),
        blocked_until=until if is_blocked else None,
    )


def add_throttle_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command and its two subcommands."""
    parser = subparsers.add_parser("throttle", help="show or lift blocks for failed sign-ins")
    forms = parser.add_subparsers(required=True, metavar="list|lift")

    show = forms.add_parser("list", help="show users and addresses with failed sign-ins")
    show.add_argument("--json", action="store_true", help="one JSON object per line")
    show.set_defaults(run=list_throttled)

    lift = forms.add_parser("lift", help="let a blocked user or address try again")
    lift.add_argument("name", metavar="NAME|ADDRESS", help="web user or IP address")
    lift.set_defaults(run=lift_block)


async def list_throttled(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Print one line per user or address with failures that still count."""
    async with open_store(context.store, may_create=False) as database:
        now = context.clock.now()
        for failures in parse_failures(await database.read(SELECT_FAILURES), now):
            key = describe(failures, ThrottleLimits(), now)
            if key is not None:
                print(_as_json(key) if arguments.json else _as_line(key), file=context.out)


async def lift_block(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Lift the block of a user, of an address, or of both if a user is named like an address."""
    keys = {
        (BlockScope.USER, key_of_user(arguments.name)),
        (BlockScope.ADDRESS, key_of_address(arguments.name.strip())),
    }
    event = AuditEvent(
        action=AuditAction.LOGIN_BLOCK_LIFTED,
        result=AuditResult.OK,
        actor=Actor(web_user=SystemName.CLI),
        resource=LOGIN_BLOCKS,
        key=arguments.name,
    )

    def lift(statements: Statements) -> bool:
        now = context.clock.now()
        stored = parse_failures(statements.execute(SELECT_FAILURES), now)
        described = [describe(each, ThrottleLimits(), now) for each in stored]
        blocked = [each for each in described if each is not None and each.blocked_until is not None]
        lifted = [each for each in blocked if (each.scope, each.name) in keys]
        for each in lifted:
            request_lift(statements, each.scope, each.name)
        return bool(lifted)

    async with (
        open_store(context.store, may_create=False) as database,
        open_recorder(AuditStore(database), context.clock) as recorder,
    ):
        if not await recorder.commit(event, lift):
            raise CommandRefusedError(f"{arguments.name} is not blocked; see `throttle list`")
    print(f"{arguments.name}\tlifted", file=context.out)


def _as_line(key: ThrottledKey) -> str:
    until = "not blocked" if key.blocked_until is None else f"blocked until {iso_utc(key.blocked_until)}"
    return "\t".join([key.scope.value, key.name, str(key.failures), until])


def _as_json(key: ThrottledKey) -> str:
    return json.dumps(unstructure(key), ensure_ascii=False)
