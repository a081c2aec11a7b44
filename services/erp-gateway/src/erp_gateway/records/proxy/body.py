"""Bodies of writes: checked as strict JSON objects, forwarded as the bytes they came in.

The parsed value is only looked at: for names that may not be written, for numbers that the ERP cannot hold,
and for the field names of the audit record.
"""

import asyncio
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from attrs import field, frozen

from erp_gateway.records.proxy.errors import FieldNotWritable
from erp_gateway.records.proxy.object_types import ENTITY_SETS
from erp_gateway.records.proxy.references import References, fold_name, references_in
from erp_gateway.records.proxy.registry import Resource
from erp_gateway.records.proxy.service_action import ServiceAction
from erp_gateway.values.audit_event import MAX_FIELDS, SentFields
from servicekit.endpoint import parse_json
from servicekit.errors import FieldProblem, InvalidBody

_SHOWN_PATH: Final = 200
"""Longest path that is built. A megabyte can hold a hundred thousand names below a path of thousands of
characters; the audit keeps this much of a path."""

_ITEMS: Final = None
"""Stands in a tree of names for the items of a list, where a property has its name."""

_VALUE: Final = True
"""Stands beside names where another line has a value instead of an object."""

Container = dict[str, Any] | list[Any]
Tree = dict[str | bool | None, "Tree | None"]
"""What is below each name: None where that is a value only."""


class SentField(NamedTuple):
    """One field in a body: something that holds a value.

    Attributes:
        path: where it is (`DocumentLines[].ItemCode`), cut to length.
        name: its property; of the items of a list, the property that holds the list.
        depth: how many properties its path has.
        branch: the property of the body itself that it belongs to.
    """

    path: str
    name: str
    depth: int
    branch: str


_BODY: Final = SentField("", "", 0, "")


def names_in(body: dict[str, Any]) -> Tree:
    """Return the tree of a body's names."""
    tree: Tree = {}
    _take(body, tree)
    return tree


def _take(value: Container, tree: Tree) -> None:
    items = value.items() if isinstance(value, dict) else ((_ITEMS, item) for item in value)
    for name, inner in items:
        below = tree.get(name)
        if not inner or not isinstance(inner, dict | list):
            if below is None:
                tree[name] = None
            else:
                below[_VALUE] = None
            continue
        if below is None:
            below = {_VALUE: None} if name in tree else {}
            tree[name] = below
        _take(inner, below)


def fields_in(tree: Tree, parent: SentField = _BODY) -> Iterator[SentField]:
    """Yield every field of a body once, in the order of the body."""
    for key, below in tree.items():
        here = _below(parent, key)
        if below is None:
            yield here
        else:
            yield from fields_in(below, here)


def properties_in(tree: Tree, parent: SentField = _BODY) -> Iterator[SentField]:
    """Yield every property of a body, also those that only hold others, in the order of the body."""
    for key, below in tree.items():
        here = _below(parent, key)
        if isinstance(key, str):
            yield here
        if below is not None:
            yield from properties_in(below, here)


def _below(parent: SentField, key: str | bool | None) -> SentField:
    if key is _VALUE:
        return parent
    if key is _ITEMS:
        return parent._replace(path=f"{parent.path}[]"[:_SHOWN_PATH])
    path = f"{parent.path}.{key}" if parent.path else str(key)
    return SentField(path[:_SHOWN_PATH], str(key), parent.depth + 1, parent.branch or str(key))


def choose_fields(tree: Tree) -> SentFields:
    """Choose the fields of a body to record: all of them, in their order, if they fit.

    If they don't, a client must not be able to hide one field behind many others. So the first ones are one
    of each property of the body itself; then those of names that do not occur yet; then the rest. Within each
    step, fields that lie less deep come first, and of these the short ones, of which more fit.
    """
    fields = list(fields_in(tree))
    sent = SentFields.of(each.path for each in fields[: MAX_FIELDS + 1])
    if not sent.omitted:
        return sent
    fields.sort(key=lambda each: (each.depth, len(each.path)))
    chosen: dict[str, SentField] = {}
    for trait in ("branch", "name", "path"):
        seen = {getattr(each, trait) for each in chosen.values()}
        for each in fields:
            if len(chosen) < MAX_FIELDS and getattr(each, trait) not in seen:
                seen.add(getattr(each, trait))
                chosen[each.path] = each
    return SentFields.of(chosen, omitted=len(fields) - len(chosen))


MAX_NAME_LENGTH: Final = 128
MAX_DEPTH: Final = 32
"""Levels of objects and lists; a document of the ERP has five."""
MAX_CONTAINERS: Final = 20_000
"""Objects and lists in one body. Millions of empty ones fit into a megabyte, and taking them apart and away
again would hold up every other request; a document of that size has some thousands."""

OFF_LOOP_BYTES: Final = 32 * 1024
"""Bodies above this are checked in a thread: below it a check takes at most some milliseconds."""


NAMED_ROWS: Final = {"BPAddresses": "AddressName"}
"""Collections of which no ERP takes a row without its name, new or not (recorded on 1000310)."""

_MAY_BE_TOO_LARGE: Final = re.compile(rb"[eE][+-]?[0-9]{3}|[0-9]{309}")


_FILES: Final = frozenset({"attachmententry", "attachementsentry"})
"""Properties that hold the number of a record's files (the second is how campaigns spell it). The ERP gives
whoever writes it the files of any record, so only `/api/attachments` sets it."""


@frozen(kw_only=True)
class WriteTarget:
    """What a body is written to.

    Attributes:
        resource: whose record; None for a service action.
        action: the service action whose parameters it holds.
        key: of the record; empty where it is new.
        optional: whether an empty body is fine (an action without parameters); it has no fields.
        is_change: whether it changes a record, whose rows it then names.
    """

    resource: Resource | None = None
    action: ServiceAction | None = None
    key: str = ""
    optional: bool = False
    is_change: bool = False


@frozen
class CheckedBody:
    """What a body sends.

    Attributes:
        fields: the names of its fields as paths (`DocumentLines[].ItemCode`), each once, for the audit.
        references: the records that it names.
    """

    fields: SentFields = field(factory=SentFields)
    references: References = field(factory=References)


class BodyChecker:
    """Checks bodies without holding up the event loop.

    Args:
        secret_fields: casefolded names of properties that may not be written.
        object_types: entity set by object type.
    """

    def __init__(self, secret_fields: frozenset[str], object_types: Mapping[int, str] = ENTITY_SETS) -> None:
        self._secret_fields = secret_fields
        self._object_types = object_types
        # One large body at a time: several threads would take turns with the event loop at its expense.
        self._large = asyncio.Lock()

    async def check(self, body: bytes, target: WriteTarget) -> CheckedBody:
        """Check the body of a write.

        Raises:
            MalformedJson: no strict JSON.
            InvalidBody: no JSON object, or one with names that cannot be properties or may not be written,
                with numbers that the ERP cannot hold, with a row that lacks its name, or with a parameter
                that the service action does not take.
            FieldNotWritable: it has fields that no client may write.
        """
        if target.optional and not body:
            return CheckedBody()
        if len(body) <= OFF_LOOP_BYTES:
            return self._check(body, target)
        async with self._large:
            return await asyncio.to_thread(self._check, body, target)

    def _check(self, body: bytes, target: WriteTarget) -> CheckedBody:
        value, fields = read_fields(body, self._secret_fields, change=target.is_change, action=target.action)
        found = references_in(value, target.resource, key=target.key, object_types=self._object_types)
        return CheckedBody(fields, found)


def read_fields(
    body: bytes,
    secret_fields: frozenset[str],
    *,
    change: bool = False,
    action: ServiceAction | None = None,
) -> tuple[dict[str, Any], SentFields]:
    """Return a body and the names of its fields; see `BodyChecker.check`, with casefolded `secret_fields`."""
    if body.count(b"{") + body.count(b"[") > MAX_CONTAINERS:
        raise InvalidBody(errors=[FieldProblem("", "El cuerpo contiene demasiados objetos o listas.")])
    value = parse_json(body, max_depth=MAX_DEPTH)
    if not isinstance(value, dict):
        raise InvalidBody(errors=[FieldProblem("", "El cuerpo debe ser un objeto JSON.")])
    tree = names_in(value)
    if unwritable := list(_unwritable(tree)):
        raise FieldNotWritable(errors=unwritable)
    problems = list(_name_problems(tree, secret_fields))
    if _MAY_BE_TOO_LARGE.search(body):
        problems += _number_problems(value)
    if change:
        problems += _row_problems(value)
    if action is not None:
        problems += _parameter_problems(tree, action)
    if problems:
        raise InvalidBody(errors=problems)
    fields = choose_fields(tree)
    if action is not None and action.parameters is not None:
        fields = SentFields.of(action.recorded_names(each.path for each in fields_in(tree)))
    return value, fields


def _unwritable(tree: Tree) -> Iterator[FieldProblem]:
    checked: set[str] = set()
    for path, name, _, _ in properties_in(tree):
        folded = fold_name(name)
        if folded in checked:
            continue
        checked.add(folded)
        if folded in _FILES:
            yield FieldProblem(path, "Los archivos de un registro se agregan en /api/attachments.")
        elif folded.startswith("odata.") or "@" in folded:
            # No property of the ERP has an @; OData 4.01 lets clients shorten `@odata.bind` to `@bind`.
            yield FieldProblem(path, "Las anotaciones de OData no se pueden escribir.")


def _parameter_problems(tree: Tree, action: ServiceAction) -> Iterator[FieldProblem]:
    for each in fields_in(tree):
        if action.recorded_name(each.path) is None:
            yield FieldProblem(each.path, "Esta acción no tiene este parámetro.")


def _name_problems(tree: Tree, secret_fields: frozenset[str]) -> Iterator[FieldProblem]:
    checked: set[str] = set()
    for path, name, _, _ in properties_in(tree):
        if name in checked:
            continue
        checked.add(name)
        if not name or len(name) > MAX_NAME_LENGTH or not name.isprintable():
            yield FieldProblem(path[:MAX_NAME_LENGTH], "No es un nombre de campo.")
        elif name.casefold() in secret_fields:
            yield FieldProblem(path, "Este campo no se puede escribir.")


def _row_problems(body: dict[str, Any]) -> Iterator[FieldProblem]:
    for collection, name in NAMED_ROWS.items():
        rows = body.get(collection)
        for number, row in enumerate(rows if isinstance(rows, list) else ()):
            if isinstance(row, dict) and not row.get(name):
                yield FieldProblem(f"{collection}[{number}].{name}", "A esta fila le falta su nombre.")


def _number_problems(value: object, path: str = "") -> Iterator[FieldProblem]:
    """Name the numbers that are none of the ERP's, whose type for them is `Edm.Double`."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _number_problems(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _number_problems(item, f"{path}[{index}]")
    elif isinstance(value, int | Decimal) and not _is_double(value):
        yield FieldProblem(path, "El ERP no puede guardar un número de este tamaño.")


def _is_double(number: int | Decimal) -> bool:
    try:
        double = float(number)
    except OverflowError:  # an integer's way of being too large
        return False
    return math.isfinite(double) and (double != 0 or number == 0)
