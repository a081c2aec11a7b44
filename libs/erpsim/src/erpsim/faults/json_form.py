"""Faults as JSON and back: `{"method": "POST", "path": "Orders", "action": {"kind": "drop"}}`."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any, Final, get_args, get_type_hints

import attrs

from erpsim.faults.actions import Action
from erpsim.faults.fault_book import Fault


class FaultFormError(Exception):
    """The JSON of a fault is invalid; the message names the place."""


def _kind(action: type) -> str:
    """Return the name of an action in JSON: `Drop` is `drop`, `CutAfterAnswer` is `cut-after-answer`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", action.__name__).lower()


ACTIONS: Final[Mapping[str, type]] = {_kind(each): each for each in get_args(Action)}
"""All actions by their name in JSON."""


def fault_to_json(fault: Fault) -> dict[str, Any]:
    """Return a fault as JSON values."""
    action = {"kind": _kind(type(fault.action)), **_fields_to_json(fault.action)}
    return {**_fields_to_json(fault, leave_out="action"), "action": action}


def fault_from_json(value: object) -> Fault:
    """Read a fault.

    Raises:
        FaultFormError: unknown or missing members, wrong types, impossible numbers.
    """
    parts = _object(value, "the rule")
    action_parts = _object(parts.pop("action", None), "`action`")
    kind = action_parts.pop("kind", None)
    action_type = ACTIONS.get(kind) if isinstance(kind, str) else None
    if action_type is None:
        raise FaultFormError(f"`action.kind` must be one of {', '.join(ACTIONS)}")
    action = _structure(action_type, action_parts, "`action`")
    fault = _structure(Fault, {**parts, "action": action}, "the rule")
    assert isinstance(fault, Fault)  # noqa: S101 - for the type checker
    return fault


def _fields_to_json(value: attrs.AttrsInstance, leave_out: str = "") -> dict[str, Any]:
    members = {}
    for field in attrs.fields(type(value)):
        item = getattr(value, field.name)
        if field.name != leave_out:
            members[field.name] = item.value if isinstance(item, enum.Enum) else item
    return members


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FaultFormError(f"{where} must be an object")
    return dict(value)


def _structure(cls: type, parts: Mapping[str, Any], where: str) -> object:
    hints = get_type_hints(cls)
    unknown = parts.keys() - hints.keys()
    if unknown:
        raise FaultFormError(f"{where} has no member {', '.join(sorted(unknown))}; it has {', '.join(hints)}")
    values = {name: _read(hints[name], value, f"{where}: `{name}`") for name, value in parts.items()}
    try:
        return cls(**values)
    except (TypeError, ValueError) as error:
        raise FaultFormError(f"{where}: {error.args[0]}") from error


def _read(hint: Any, value: object, where: str) -> object:
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        allowed = {member.value: member for member in hint}
        if not isinstance(value, str) or value not in allowed:
            raise FaultFormError(f"{where} must be one of {', '.join(allowed)}")
        return allowed[value]
    kinds = get_args(hint) or (hint,)
    if isinstance(value, bool) and bool not in kinds:
        raise FaultFormError(f"{where} must be {_names(kinds)}")
    if isinstance(value, int) and float in kinds:
        return float(value)
    if not isinstance(value, kinds):
        raise FaultFormError(f"{where} must be {_names(kinds)}")
    return value


def _names(kinds: tuple[type, ...]) -> str:
    return " or ".join("null" if kind is type(None) else kind.__name__ for kind in kinds)
