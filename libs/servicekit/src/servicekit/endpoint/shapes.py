"""JSON values to attrs classes and back: strict types, camelCase on the wire, problems with their path.

`web_user` in code is `webUser` in JSON. Types understood: attrs classes, `str`, `int`, `float`, `bool`,
`Decimal`, `date`, `datetime`, enums, `Literal`, `X | None`, `list[X]`, `tuple[X, ...]`, `dict[str, X]` and
`Any`.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from itertools import islice
from types import SimpleNamespace
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import attrs
from cattrs import (
    AttributeValidationNote,
    BaseConverter,
    BaseValidationError,
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.cols import is_mapping, is_sequence, mapping_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from servicekit.endpoint.plain_types import PLAIN_HOOKS, Hook, enum_member, literal, or_enum
from servicekit.endpoint.shape_problems import WrongTypeError, problems_of, step_of, wire_name
from servicekit.errors import InvalidBody

T = TypeVar("T")
HookFactory = Callable[[Any, BaseConverter], Hook]

_MAX_PROBLEMS: Final = 50


def structure(value: Any, cls: type[T]) -> T:
    """Turn a JSON value into an instance.

    Raises:
        InvalidBody: With one entry for each problem (the first 50).
    """
    try:
        return _converter().structure(value, cls)
    except (BaseValidationError, ValueError) as exc:
        raise InvalidBody(errors=islice(problems_of(exc, ""), _MAX_PROBLEMS)) from exc


def unstructure(value: Any) -> Any:
    """Turn attrs classes (nested in lists and mappings, too) into JSON-ready values; times in UTC."""
    return _converter().unstructure(value)


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for plain, hook in PLAIN_HOOKS.items():
        converter.register_structure_hook(plain, or_enum(hook))
    converter.register_structure_hook_func(_has_origin(Literal), literal)
    converter.register_structure_hook(Enum, enum_member)
    converter.register_structure_hook_factory(is_sequence, _expecting(list, "una lista", _items_of(list)))
    converter.register_structure_hook_factory(
        _has_origin(tuple), _expecting(list, "una lista", _items_of(tuple))
    )
    converter.register_structure_hook_factory(
        is_mapping, _expecting(dict, "un objeto", mapping_structure_factory)
    )
    converter.register_structure_hook_factory(
        attrs.has, _expecting(dict, "un objeto", _class_structure_factory)
    )
    converter.register_unstructure_hook_factory(attrs.has, _class_unstructure_factory)
    converter.register_unstructure_hook(date, date.isoformat)
    converter.register_unstructure_hook(datetime, _show_datetime)
    return converter


def _has_origin(origin: Any) -> Callable[[Any], bool]:
    return lambda candidate: get_origin(candidate) is origin


def _items_of(container: type[list[Any]] | type[tuple[Any, ...]]) -> HookFactory:
    """Make factories of hooks that give up at as many bad items as are told: cattrs goes on to the last one,
    and a body full of them would hold up the event loop for seconds."""

    def factory(cls: Any, converter: BaseConverter) -> Hook:
        item_type = next(iter(get_args(cls)), Any)
        structure_item = converter.get_structure_hook(item_type)

        def hook(value: Any, cls: Any) -> Any:
            items: list[Any] = []
            refused: list[Exception] = []
            for index, item in enumerate(value):
                try:
                    items.append(structure_item(item, item_type))
                except Exception as exc:  # noqa: BLE001 - whatever an item's hook raises is its refusal
                    exc.add_note(IterableValidationNote(f"at index {index}", index, item_type))
                    refused.append(exc)
                    if len(refused) == _MAX_PROBLEMS:
                        break
            if refused:
                raise IterableValidationError("items refused", refused, cls)
            return container(items)

        return hook

    return factory


def _renamed(cls: type[Any]) -> dict[str, Any]:
    return {field.name: override(rename=wire_name(field.name)) for field in attrs.fields(cls)}


def _class_structure_factory(cls: Any, converter: BaseConverter) -> Hook:
    inner = make_dict_structure_fn(cls, converter, **_renamed(cls))
    attrs.resolve_types(cls)

    def hook(value: Any, cls: Any) -> Any:
        try:
            return inner(value, cls)
        except ClassValidationError as exc:
            refused = _refused_by_validators(value, cls, converter) if _is_from_validators(exc) else []
            raise ClassValidationError(exc.message, refused or exc.exceptions, cls) from exc

    return hook


def _is_from_validators(exc: ClassValidationError) -> bool:
    """Tell whether all fields were structured and the class's own check failed: cattrs can't say of which."""
    return not any(isinstance(each, ForbiddenExtraKeysError) or step_of(each) for each in exc.exceptions)


def _refused_by_validators(value: Any, cls: Any, converter: BaseConverter) -> list[Exception]:
    """Run every validator again, to find all that refuse and to note the field of each."""
    fields = [field for field in attrs.fields(cls) if wire_name(field.name) in value]
    values = {field.name: converter.structure(value[wire_name(field.name)], field.type) for field in fields}
    refused: list[Exception] = []
    for field in fields:
        try:
            if field.validator is not None:
                field.validator(SimpleNamespace(**values), field, values[field.name])
        except Exception as exc:  # noqa: BLE001 - whatever a validator raises is its refusal
            exc.add_note(AttributeValidationNote(field.name, field.name, field.type))
            refused.append(exc)
    return refused


def _class_unstructure_factory(cls: Any, converter: Converter) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(cls, converter, **_renamed(cls))


def _expecting(kind: type, noun: str, factory: HookFactory) -> HookFactory:
    """Guard a factory's hooks: cattrs alone would take a text for a list of characters."""

    def guarded_factory(cls: Any, converter: BaseConverter) -> Hook:
        inner = factory(cls, converter)

        def hook(value: Any, cls: Any) -> Any:
            if not isinstance(value, kind):
                raise WrongTypeError(noun)
            return inner(value, cls)

        return hook

    return guarded_factory


def _show_datetime(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError("a time without zone can't be shown as UTC")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
