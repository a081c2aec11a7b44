"""The body of a change set, read as its operations."""

import asyncio
from typing import Any, Final, Literal

import msgspec
from attrs import frozen

from erp_gateway.records.proxy.body.checker import OFF_LOOP_BYTES
from erp_gateway.settings.erp import MAX_CHANGE_SET
from servicekit.endpoint import parse_json
from servicekit.endpoint.shapes import structure
from servicekit.errors import FieldProblem, InvalidBody, MalformedJson

_NO_BODY: Final = b"null"


@frozen(kw_only=True)
class Operation:
    """One requested operation.

    Attributes:
        method: `POST` or `PATCH`.
        resource: name of the resource.
        key: key of the record, as in the path of a request alone; empty without one.
        action: action on the record; empty without one.
        body: the bytes as received; empty without one.
        has_tag: whether it has an `ifMatch`.
    """

    method: Literal["POST", "PATCH"]
    resource: str
    key: str = ""
    action: str = ""
    body: bytes = b""
    has_tag: bool = False


@frozen(kw_only=True)
class _OperationBody:
    method: Literal["POST", "PATCH"]
    resource: str
    key: Any = None
    action: str | None = None
    body: Any = None
    if_match: Any = None


@frozen(kw_only=True)
class _ChangeSetBody:
    operations: tuple[_OperationBody, ...]


class _RawOperation(msgspec.Struct):
    body: msgspec.Raw = msgspec.Raw(_NO_BODY)


class _RawChangeSet(msgspec.Struct):
    operations: list[_RawOperation]


_raw_decoder: Final = msgspec.json.Decoder(_RawChangeSet)


async def read_operations(body: bytes) -> tuple[Operation, ...]:
    """Read the operations of a change set without holding up the event loop.

    Raises:
        MalformedJson: no strict JSON.
        InvalidBody: no change set; with the path of each problem.
    """
    if len(body) <= OFF_LOOP_BYTES:
        return parse_operations(body)
    return await asyncio.to_thread(parse_operations, body)


def parse_operations(body: bytes) -> tuple[Operation, ...]:
    """Read the operations of a change set; see `read_operations`."""
    value = parse_json(body)
    listed = value.get("operations") if isinstance(value, dict) else None
    if isinstance(listed, list) and not 1 <= len(listed) <= MAX_CHANGE_SET:
        problem = f"Debe tener de 1 a {MAX_CHANGE_SET} operaciones; tiene {len(listed)}."
        raise InvalidBody(errors=[FieldProblem("operations", problem)])
    requested = structure(value, _ChangeSetBody).operations
    problems = [problem for place, each in enumerate(requested) for problem in _problems(place, each)]
    if problems:
        raise InvalidBody(errors=problems)
    try:
        # The bytes of each body, so that the ERP gets every digit as the client wrote it.
        raw = _raw_decoder.decode(body).operations
    except msgspec.DecodeError as error:
        raise MalformedJson from error
    return tuple(_operation(each, bytes(one.body)) for each, one in zip(requested, raw, strict=True))


def _problems(place: int, each: _OperationBody) -> list[FieldProblem]:
    path = f"operations[{place}]"
    problems = []
    if each.key is not None and (isinstance(each.key, bool) or not isinstance(each.key, int | str)):
        problems.append(FieldProblem(f"{path}.key", "Debe ser un texto o un número entero."))
    has_key = each.key not in (None, "")
    if each.method == "PATCH" and not has_key:
        problems.append(FieldProblem(f"{path}.key", "Una modificación lleva la clave del registro."))
    if each.method == "PATCH" and each.action:
        problems.append(FieldProblem(f"{path}.action", "Una acción se envía con POST."))
    if each.method == "POST" and has_key and not each.action:
        problems.append(FieldProblem(f"{path}.action", "Con una clave, POST lleva una acción."))
    if each.method == "POST" and each.action and not has_key:
        problems.append(FieldProblem(f"{path}.key", "Una acción lleva la clave del registro."))
    return problems


def _operation(each: _OperationBody, body: bytes) -> Operation:
    takes_none = bool(each.action)
    return Operation(
        method=each.method,
        resource=each.resource,
        key="" if each.key is None else str(each.key),
        action=each.action or "",
        body=b"" if takes_none and body == _NO_BODY else body,
        has_tag=each.if_match is not None,
    )
