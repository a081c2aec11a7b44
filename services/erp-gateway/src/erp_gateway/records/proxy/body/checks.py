"""Checks of a body: names that may not be written, numbers that the ERP cannot hold, unnamed rows."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from erp_gateway.records.proxy.body.names import (
    Property,
    Tree,
    choose_fields,
    distinct_properties,
    fields_in,
    names_in,
)
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.records.proxy.errors import FieldNotWritable
from erp_gateway.values.audit_event import SentFields
from servicekit.endpoint import parse_json
from servicekit.errors import FieldProblem, InvalidBody

MAX_NAME_LENGTH: Final = 128
MAX_DEPTH: Final = 32
"""Levels of objects and lists; a document of the ERP has five."""
MAX_CONTAINERS: Final = 20_000
"""Objects and lists in one body. Millions of empty ones fit into a megabyte, and taking them apart and away
again would hold up every other request; a document of that size has some thousands."""

NAMED_ROWS: Final = {"BPAddresses": "AddressName"}
"""Collections of which no ERP takes a row without its name, new or not (recorded on 1000310)."""

_MAY_BE_TOO_LARGE: Final = re.compile(rb"[eE][+-]?[0-9]{3}|[0-9]{309}")


_FILES: Final = frozenset({"attachmententry", "attachementsentry"})
"""Properties that hold the number of a record's files (campaigns use the second spelling). A client that
could write it could read the files of any record, so only `/api/attachments` sets it."""


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
    properties = distinct_properties(tree)
    if unwritable := list(_unwritable(properties)):
        raise FieldNotWritable(errors=unwritable)
    problems = list(_name_problems(properties, secret_fields))
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


def _unwritable(properties: list[Property]) -> Iterator[FieldProblem]:
    checked: set[str] = set()
    for path, _, folded in properties:
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


def _name_problems(properties: list[Property], secret_fields: frozenset[str]) -> Iterator[FieldProblem]:
    for path, name, _ in properties:
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
