"""Bodies of writes: checked as strict JSON objects, forwarded as the bytes they came in.

The parsed value is only looked at: for names that may not be written, for numbers that the ERP cannot hold,
and for the field names of the audit record.
"""

import asyncio
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from erp_gateway.audit_event import SentFields
from erp_gateway.proxy.field_names import Tree, choose_fields, names_in, properties_in
from servicekit.endpoint import parse_json
from servicekit.errors import FieldProblem, InvalidBody

MAX_NAME_LENGTH: Final = 128
MAX_DEPTH: Final = 32
"""Levels of objects and lists; a document of the ERP has five."""
MAX_CONTAINERS: Final = 20_000
"""Objects and lists in one body. Millions of empty ones fit into a megabyte, and taking them apart and away
again would hold up every other request; a document of that size has some thousands."""

OFF_LOOP_BYTES: Final = 32 * 1024
"""Bodies above this are checked in a thread: below it a check takes at most some milliseconds."""


_MAY_BE_TOO_LARGE: Final = re.compile(rb"[eE][+-]?[0-9]{3}|[0-9]{309}")


class BodyChecker:
    """Checks bodies without holding up the event loop.

    Args:
        secret_fields: casefolded names of properties that may not be written.
    """

    def __init__(self, secret_fields: frozenset[str]) -> None:
        self._secret_fields = secret_fields
        # One large body at a time: several threads would take turns with the event loop at its expense.
        self._large = asyncio.Lock()

    async def check(self, body: bytes, *, optional: bool = False) -> SentFields:
        """Check the body of a write.

        Args:
            body: the raw body.
            optional: whether an empty one is fine (an action without parameters); it has no fields.

        Returns:
            the names of its fields as paths (`DocumentLines[].ItemCode`), each once, for the audit.

        Raises:
            MalformedJson: no strict JSON.
            InvalidBody: no JSON object, or one with names that cannot be properties or may not be written, or
                with numbers that the ERP cannot hold.
        """
        if optional and not body:
            return SentFields()
        if len(body) <= OFF_LOOP_BYTES:
            return sent_fields(body, self._secret_fields)
        async with self._large:
            return await asyncio.to_thread(sent_fields, body, self._secret_fields)


def sent_fields(body: bytes, secret_fields: frozenset[str]) -> SentFields:
    """Return the names of a body's fields; see `BodyChecker.check`, with the casefolded `secret_fields`."""
    if body.count(b"{") + body.count(b"[") > MAX_CONTAINERS:
        raise InvalidBody(errors=[FieldProblem("", "El cuerpo contiene demasiados objetos o listas.")])
    value = parse_json(body, max_depth=MAX_DEPTH)
    if not isinstance(value, dict):
        raise InvalidBody(errors=[FieldProblem("", "El cuerpo debe ser un objeto JSON.")])
    tree = names_in(value)
    problems = list(_name_problems(tree, secret_fields))
    if _MAY_BE_TOO_LARGE.search(body):
        problems += _number_problems(value)
    if problems:
        raise InvalidBody(errors=problems)
    return choose_fields(tree)


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
