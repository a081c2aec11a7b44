"""The invariants. Each takes the evidence and yields violations. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from soak.values import Evidence, Outcome, Planning, Return, Sample

HEALTH_S = 5.0
RECOVERY_S = 60.0
MORE_SESSIONS = 10
"""At the ERP: so many more may be open at the end of the time without kills than at its beginning."""

WARM_S = 60.0
LONG_S = 180.0
"""Lifetime from which a process is checked for growth, without its first minute."""

GROWN = {"memory": (1.2, 24 << 20), "descriptors": (1.2, 24), "threads": (1.2, 8)}
"""Allowed growth from the first to the last third: a factor, and an amount."""

ENDED = {"ejecutada", "cerrada"}


def seen_made_exists_once(seen: Evidence) -> Iterator[str]:
    """Every order that a client saw created exists once, under the returned key."""
    found = _by_reference(seen)
    for one in seen.creates:
        if one.outcome is Outcome.MADE:
            entries = found.get(one.reference, [])
            if len(entries) != 1 or (one.entry is not None and entries != [one.entry]):
                yield f"{one.reference} of {one.who} was made as {one.entry}; the ERP has {entries}"
    returned = {one.entry for one in seen.returns}
    numbers = {one.number for one in seen.plannings}
    for plan in seen.plans:
        if plan.outcome is Outcome.MADE and plan.number not in numbers:
            yield f"planning {plan.number} of {plan.who} was made and is not there"
        for entry in sorted(plan.seen_made - returned):
            yield f"planning {plan.number} said that return {entry} was made; it is not there"


def not_made_does_not_exist(seen: Evidence) -> Iterator[str]:
    """No order that a client saw as not created exists."""
    found = _by_reference(seen)
    for one in seen.creates:
        if one.outcome is Outcome.NOT_MADE and one.reference in found:
            yield f"{one.reference} of {one.who} was refused and is {found[one.reference]}"
    planned = {one.reference for one in seen.plannings}
    for plan in seen.plans:
        if plan.outcome is Outcome.NOT_MADE and plan.reference in planned:
            yield f"planning {plan.reference} of {plan.who} was refused and is there"


def nothing_twice(seen: Evidence) -> Iterator[str]:
    """No order exists twice or without a request."""
    for reference, entries in _by_reference(seen).items():
        if len(entries) > 1:
            yield f"{reference} is there as {entries}"
    wanted = {one.reference for one in seen.creates}
    yield from (
        f"{one.entry} ({one.reference}) is nobody's" for one in seen.orders if one.reference not in wanted
    )
    for what, values in (
        ("trace", [one.trace for one in seen.orders if one.trace]),
        ("key of a return", [one.key for one in seen.returns if one.planning is not None]),
        ("planning", [one.reference for one in seen.plannings]),
    ):
        yield from (f"{what} {value} is there {n} times" for value, n in Counter(values).items() if n > 1)


def changes_are_as_told(seen: Evidence) -> Iterator[str]:
    """An order has the last confirmed value; an unconfirmed one may have been written at any time."""
    comments = {one.entry: one for one in seen.orders}
    may: dict[int, set[str]] = defaultdict(set)
    result: dict[int, str] = {}
    for one in seen.changes:
        if one.outcome is Outcome.MADE:
            result[one.entry] = one.value
        elif one.outcome is Outcome.UNKNOWN:
            may[one.entry].add(one.value)
    for entry in {one.entry for one in seen.changes}:
        order = comments.get(entry)
        first = "" if order is None else order.reference
        if order is None or order.comments not in may[entry] | {result.get(entry, first)}:
            yield f"order {entry} holds {order and order.comments!r}, told was {result.get(entry, first)!r}"


def documents_have_records(seen: Evidence) -> Iterator[str]:
    """Every order has an audit record of its user."""
    owners = {one.reference: one.who for one in seen.creates}
    made = [one for one in seen.records if one.resource == "Orders" and one.key is not None]
    own = {(one.key, one.who) for one in made if one.action == "sl_create" and one.result == "ok"}
    settled = {one.key: one.write for one in made if one.action == "write_settled" and one.result == "ok"}
    lost = {
        one.write: one.who for one in seen.records if one.action == "sl_create" and one.result == "unknown"
    }
    unsettled = Counter(lost.values()) if not seen.traced else Counter()
    for order in seen.orders:
        who, key = owners.get(order.reference, "nobody"), str(order.entry)
        if (key, who) in own or (key in settled and lost.get(settled[key]) == who):
            continue
        unsettled[who] -= 1
        if unsettled[who] < 0:
            yield f"order {key} of {who} has no record of theirs"
    yield from _writes_have_records(seen)


def _writes_have_records(seen: Evidence) -> Iterator[str]:
    """Every change has an audit record."""
    recorded = Counter(
        (one.key, one.who)
        for one in seen.records
        if (one.action, one.resource, one.result) == ("sl_update", "Orders", "ok")
    )
    made = Counter((str(one.entry), one.who) for one in seen.changes if one.outcome is Outcome.MADE)
    for (entry, who), count in made.items():
        if recorded[entry, who] < count:
            yield f"{who} changed order {entry} {count} times, recorded are {recorded[entry, who]}"


def rows_agree(seen: Evidence) -> Iterator[str]:
    """The ledger agrees with the ERP about every order."""
    owners = {one.reference: one.who for one in seen.creates}
    rows = {one.number: one for one in seen.rows}
    entries = {str(one.entry) for one in seen.orders}
    for order in seen.orders if seen.traced else ():
        row = rows.get(order.trace)
        if row is None or (row.state, row.key, row.who) != (
            "done",
            str(order.entry),
            owners.get(order.reference),
        ):
            yield f"order {order.entry} of {owners.get(order.reference)}: its row is {row}"
    for row in seen.rows:
        if (
            row.kind == "create"
            and row.resource == "Orders"
            and row.state == "done"
            and row.key not in entries
        ):
            yield f"row {row.number} says that {row.key} was made; it is not there"


def unknown_ones_settled(seen: Evidence) -> Iterator[str]:
    """No row is open, and no create with a lookup is unknown."""
    for row in seen.rows:
        looked_up = seen.traced and row.kind == "create"
        if row.state == "open" or (row.state == "unknown" and looked_up):
            yield f"row {row.number} ({row.kind} of {row.who}) is {row.state}"


def plannings_and_returns_agree(seen: Evidence) -> Iterator[str]:
    """Every planning is finished. Its documents match the ERP's returns piece by piece, or report a
    difference.
    """
    returns: dict[int | None, list[Return]] = defaultdict(list)
    for one in seen.returns:
        returns[one.planning].append(one)
    wanted = {one.reference: one.who for one in seen.plans}
    for planning in seen.plannings:
        if wanted.get(planning.reference) != planning.user:
            yield f"planning {planning.number} of {planning.user}: {wanted.get(planning.reference)} wanted it"
        yield from _documents_agree(planning, returns.pop(planning.number, []))
    for number, left in returns.items():
        if number is not None:
            yield f"returns {[one.entry for one in left]} are of planning {number}, which is not there"
    yield from _closings(seen)


def _documents_agree(planning: Planning, returns: Sequence[Return]) -> Iterator[str]:
    if planning.state not in ENDED:
        yield f"planning {planning.number} is {planning.state}: {[one.state for one in planning.documents]}"
    made = {one.entry: one for one in planning.documents if one.state == "creado"}
    found = {one.entry: one for one in returns}
    if made.keys() != found.keys():
        yield f"planning {planning.number} made {sorted(map(str, made))}; the ERP has {sorted(found)}"
    for entry in made.keys() & found.keys():
        one = made[entry]
        if (
            entry is not None
            and sorted(one.pieces) != sorted(found[entry].pieces)
            and not one.is_told_to_differ
        ):
            yield f"return {entry} gives back {found[entry].pieces}, planned was {one.pieces}"


def _closings(seen: Evidence) -> Iterator[str]:
    states = {one.number: one.state for one in seen.plannings}
    for plan in seen.plans:
        state = states.get(plan.number or 0)
        if plan.closing is Outcome.MADE and state != "cerrada":
            yield f"planning {plan.number} was closed and is {state}"


def chain_verifies(seen: Evidence) -> Iterator[str]:
    """`audit verify` finds no faults."""
    if seen.chain is not None:
        yield seen.chain


def no_500(seen: Evidence) -> Iterator[str]:
    """No answer is a 500, but for work that a stop interrupted."""
    for status, code, count in seen.answers:
        if status == 500 and code != "interrupted":
            yield f"{count} answers are 500 {code}"


def no_unexpected_line(seen: Evidence) -> Iterator[str]:
    """No log has a trace or an error that is not foreseen."""
    yield from seen.log_lines


def services_end(seen: Evidence) -> Iterator[str]:
    """Every requested stop was orderly."""
    yield from seen.ends


def processes_stay_flat(seen: Evidence) -> Iterator[str]:
    """Memory, descriptors and threads of a process do not grow."""
    lives: dict[tuple[str, int], list[Sample]] = defaultdict(list)
    for one in seen.samples:
        if one.age_s >= WARM_S:
            lives[one.name, one.life].append(one)
    for (name, life), samples in lives.items():
        if samples[-1].age_s < LONG_S:
            continue
        third = len(samples) // 3
        for what, (factor, more) in GROWN.items():
            first, last = (
                median(getattr(one, what) for one in part) for part in (samples[:third], samples[-third:])
            )
            if last > first * factor + more:
                yield f"{what} of {name} {life} grew from {first:.0f} to {last:.0f}"


def sessions_stay_few(seen: Evidence) -> Iterator[str]:
    """The ERP's sessions do not grow while no process is killed."""
    third = len(seen.sessions) // 3
    first, last = (
        max(seen.sessions[:third], default=0),
        max(seen.sessions[-third:] if third else (), default=0),
    )
    if last > first + MORE_SESSIONS:
        yield f"sessions grew from {first} to {last}"


def recovers(seen: Evidence) -> Iterator[str]:
    """Every service responds soon after an event."""
    for one in seen.recoveries:
        if one.seconds is None or one.seconds > RECOVERY_S:
            yield f"{one.name} after {one.what}: {one.seconds} s"


def health_answers(seen: Evidence) -> Iterator[str]:
    """`/health` answers while the process runs."""
    if seen.health_worst_s > HEALTH_S:
        yield f"the slowest took {seen.health_worst_s:.1f} s"


def _by_reference(seen: Evidence) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for one in seen.orders:
        found[one.reference].append(one.entry)
    return found


JUDGES: Sequence[tuple[str, Callable[[Evidence], Iterator[str]]]] = (
    ("seen as made: there once", seen_made_exists_once),
    ("seen as not done: not there", not_made_does_not_exist),
    ("nothing twice, nothing of nobody", nothing_twice),
    ("changes as told", changes_are_as_told),
    ("each order and change has a record of the right user", documents_have_records),
    ("ledger and ERP agree", rows_agree),
    ("unknown ones settled", unknown_ones_settled),
    ("plannings and returns agree", plannings_and_returns_agree),
    ("the audit's chain verifies", chain_verifies),
    ("no 500", no_500),
    ("no unexpected trace in a log", no_unexpected_line),
    ("every stop is orderly", services_end),
    ("memory, descriptors, threads flat", processes_stay_flat),
    ("sessions at the ERP few", sessions_stay_few),
    ("each service recovers", recovers),
    ("/health at worst", health_answers),
)
"""Invariants by their names in the table, in order."""


def judge(seen: Evidence) -> list[tuple[str, list[str]]]:
    """Return each invariant with the faults that break it."""
    return [(name, list(check(seen))) for name, check in JUDGES]
