"""Decode requests as values of planning.

Bodies may have a megabyte, so a thread decodes them.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import Any, Final

import attrs
from starlette.requests import Request

from servicekit.endpoint import parse_json, read_body, read_query
from servicekit.endpoint.shape_problems import wire_name
from servicekit.endpoint.shapes import structure
from servicekit.errors import FieldProblem, InvalidBody, InvalidQuery
from supplier_returns.pasting.shapes import MAX_WHS_CODE
from supplier_returns.planning.http import _NUMBER
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.listing import PlanningFilter
from supplier_returns.planning.model.planning import PlanningHeader
from supplier_returns.planning.model.states import RECORDED_STATES, PlanningState
from supplier_returns.planning.request_shapes import (
    CLEARABLE,
    AddBody,
    CreateBody,
    HeaderChanges,
    LineBody,
    LineChanges,
    ReplanBody,
)
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.rules.plans import merged
from supplier_returns.planning.service import NewPlanning
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.small_work import run_small_work
from supplier_returns.shape_fields import attributes_of

DEFAULT_PAGE_SIZE: Final = 20
MAX_PAGE_SIZE: Final = 100
MAX_PAGE: Final = 1_000_000
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(
    _DATE.pattern + r"T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
)


async def read_new_planning(request: Request, rules: PlanningRules) -> NewPlanning:
    """Read the body of a new planning. Lines with the same item and reason are merged.

    Raises:
        InvalidBody: a field is invalid.
    """
    return await run_small_work(_new_planning, await read_body(request), rules)


def _new_planning(content: bytes, rules: PlanningRules) -> NewPlanning:
    body = structure(parse_json(content), CreateBody)
    header = attributes_of(body.cabecera)
    header["posting_date"] = header["posting_date"] or rules.today()
    header["document_date"] = header["document_date"] or header["posting_date"]
    header["comment"] = header["comment"] or None
    return NewPlanning(
        header=PlanningHeader(**header, max_lines=rules.max_lines),
        lines=_requested(body.lineas),
        digest=body.huella or "",
        allow_another=body.permitir_otra,
    )


def read_list_request(request: Request, timezone: tzinfo) -> tuple[PlanningFilter, int, int]:
    """Read the query of the list: the filter, the page and its size. Times use the day in `timezone`.

    Raises:
        InvalidQuery: a parameter is unknown or out of range.
    """
    query = read_query(request)
    where = PlanningFilter(
        is_open=_status(query),
        whs_code=_whs_code(query),
        created_from=_since(query, timezone),
        state=_recorded_state(query, "estado"),
        other_than=_recorded_state(query, "excepto"),
    )
    page = _integer(query, "pagina", 1, MAX_PAGE)
    return where, page, _integer(query, "tamano", DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def read_warehouse(request: Request) -> str | None:
    """Read the warehouse in the query, if there is one.

    Raises:
        InvalidQuery: the text can't be a warehouse code.
    """
    return _whs_code(read_query(request))


async def read_added_lines(request: Request) -> tuple[int, list[PlanningLine]]:
    """Read the body of added lines: the version, and the lines merged by item and reason.

    Raises:
        InvalidBody: a field is invalid.
    """
    return await run_small_work(_added_lines, await read_body(request))


def _added_lines(content: bytes) -> tuple[int, list[PlanningLine]]:
    body = structure(parse_json(content), AddBody)
    return body.version, _requested(body.lineas)


async def read_replan(request: Request) -> int:
    """Read the body of a replanning: the version that the user saw.

    Raises:
        InvalidBody: a field is invalid.
    """
    return structure(parse_json(await read_body(request)), ReplanBody).version


def _requested(lines: Iterable[LineBody]) -> list[PlanningLine]:
    return merged(PlanningLine(**attributes_of(each)) for each in lines)


async def read_header_change(request: Request) -> tuple[int, dict[str, Any]]:
    """Read the body of a header change: the version, and attributes of `PlanningHeader`.

    Raises:
        InvalidBody: a field is invalid, or null in a required field.
    """
    version, changes = await run_small_work(_changes, await read_body(request), HeaderChanges)
    if changes.get("comment") == "":
        changes["comment"] = None
    return version, changes


async def read_line_change(request: Request) -> tuple[int, dict[str, Any], list[Pick] | None]:
    """Read the body of a line change: the version, attributes of `PlanningLine`, and the picks if any.

    Raises:
        InvalidBody: a field is invalid, or null in a required field.
    """
    version, changes = await run_small_work(_changes, await read_body(request), LineChanges)
    picks = _picks(changes.pop("lotes", None), changes.pop("series", None))
    return version, changes, picks


def _changes(body: bytes, shape: type[HeaderChanges] | type[LineChanges]) -> tuple[int, dict[str, Any]]:
    """Decode a body in which only the given fields count. Return the version and the changed attributes.

    Raises:
        InvalidBody: a field is invalid, or null in a required field.
    """
    fields = parse_json(body)
    requested = structure(fields, shape)
    nulls = [
        FieldProblem(name, "No puede quedar vacío.")
        for name, value in fields.items()
        if value is None and name not in CLEARABLE
    ]
    if nulls:
        raise InvalidBody(errors=nulls)
    names = (each.name for each in attrs.fields(shape) if wire_name(each.name) in fields)
    changes = attributes_of(requested, *names)
    return changes.pop("version"), changes


def _picks(batches: Any, serials: Any) -> list[Pick] | None:
    if batches is None and serials is None:
        return None
    if batches and serials:
        # An item is managed by batches or by serial numbers, never by both.
        problem = FieldProblem("series", "Se eligen lotes o series, no ambos.")
        raise InvalidBody(errors=[problem])
    return [
        *(Pick(each.cantidad, batch=each.lote) for each in batches or ()),
        *(Pick(Decimal(1), serial=serial) for serial in serials or ()),
    ]


def _integer(query: Mapping[str, str], name: str, default: int, maximum: int) -> int:
    text = query.get(name)
    if text is None:
        return default
    if not _NUMBER.fullmatch(text) or int(text) > maximum:
        raise _refused(name, f"Debe ser un número entero entre 1 y {maximum}.")
    return int(text)


def _status(query: Mapping[str, str]) -> bool | None:
    status = query.get("status", "")
    if status not in {"", "O", "C"}:
        raise _refused("status", "Debe ser O, C o vacío.")
    return {"": None, "O": True, "C": False}[status]


def _recorded_state(query: Mapping[str, str], name: str) -> PlanningState | None:
    text = query.get(name, "")
    if not text:
        return None
    state = next((each for each in RECORDED_STATES if each.value == text), None)
    if state is None:
        raise _refused(name, f"Debe ser {', '.join(each.value for each in RECORDED_STATES)} o vacío.")
    return state


def _whs_code(query: Mapping[str, str]) -> str | None:
    code = query.get("whsCode", "")
    if len(code) > MAX_WHS_CODE or not code.isprintable():
        raise _refused("whsCode", f"Debe tener hasta {MAX_WHS_CODE} caracteres.")
    return code or None


def _since(query: Mapping[str, str], timezone: tzinfo) -> date | None:
    text = query.get("desde", "")
    if not text:
        return None
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
        parsed = datetime.fromisoformat(text if _TIME.fullmatch(text) else "")
        # A time with an offset may be on another day in the company's time zone.
        return (parsed if parsed.tzinfo is None else parsed.astimezone(timezone)).date()
    except (ValueError, OverflowError):
        message = "Debe ser una fecha como 2026-01-31, o una fecha con hora como 2026-01-31T18:30:00Z."
        raise _refused("desde", message) from None


def _refused(name: str, message: str) -> InvalidQuery:
    return InvalidQuery(errors=[FieldProblem(name, message)])
