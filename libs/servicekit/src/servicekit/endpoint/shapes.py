"""JSON values to attrs classes and back: strict types, camelCase on the wire, problems with their path.

`web_user` in code is `webUser` in JSON. Types understood: attrs classes, `str`, `int`, `float`, `bool`,
`Decimal`, `date`, `datetime`, enums, `Literal`, `X | None`, `list[X]`, `tuple[X, ...]`, `dict[str, X]` and
`Any`.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from types import SimpleNamespace
from typing import Any, Literal, TypeVar, get_args, get_origin

import attrs
from cattrs import (
    AttributeValidationNote,
    BaseConverter,
    BaseValidationError,
    ClassValidationError,
    Converter,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.cols import is_mapping, is_sequence
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from servicekit.endpoint.plain_types import PLAIN_HOOKS, Hook, enum_member, literal, or_enum
from servicekit.endpoint.shape_problems import (
    UnknownNamesError,
    UnreadItemsError,
    WrongTypeError,
    reported_problems,
    step_of,
    wire_name,
)
from servicekit.errors import MAX_REPORTED, InvalidBody

T = TypeVar("T")
HookFactory = Callable[[Any, BaseConverter], Hook]


def structure(value: Any, cls: type[T]) -> T:
    """Convert a JSON value to an instance.

    Conversion stops after the maximum number of reported problems, so rejecting a value never takes longer
    than accepting it.

    Raises:
        InvalidBody: with one entry per problem, up to the maximum.
    """
    try:
        return _converter().structure(value, cls)
    except (BaseValidationError, ValueError) as exc:
        raise InvalidBody(errors=reported_problems(exc)) from exc


def unstructure(value: Any) -> Any:
    """Turn attrs classes (nested in lists and mappings, too) into JSON-ready values; times in UTC."""
    return _converter().unstructure(value)


@cache
def _converter() -> Converter:
    converter = Converter()
    for plain, hook in PLAIN_HOOKS.items():
        converter.register_structure_hook(plain, or_enum(hook))
    converter.register_structure_hook_func(_has_origin(Literal), literal)
    converter.register_structure_hook(Enum, enum_member)
    converter.register_structure_hook_factory(is_sequence, _expecting(list, "una lista", _items_of(list)))
    converter.register_structure_hook_factory(
        _has_origin(tuple), _expecting(list, "una lista", _items_of(tuple))
    )
    converter.register_structure_hook_factory(is_mapping, _expecting(dict, "un objeto", _members_factory))
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
    def factory(cls: Any, converter: BaseConverter) -> Hook:
        item_type = next(iter(get_args(cls)), Any)
        structure_item = converter.get_structure_hook(item_type)

        def hook(value: Any, cls: Any) -> Any:
            return container(_structure_each(enumerate(value), len(value), structure_item, item_type, cls))

        return hook

    return factory


def _members_factory(cls: Any, converter: BaseConverter) -> Hook:
    member_type = get_args(cls)[1]
    structure_member = converter.get_structure_hook(member_type)

    def hook(value: Any, cls: Any) -> Any:
        members = _structure_each(value.items(), len(value), structure_member, member_type, cls)
        return dict(zip(value, members, strict=True))

    return hook


def _structure_each(
    items: Iterable[tuple[int | str, Any]], count: int, structure_item: Hook, item_type: Any, cls: Any
) -> list[Any]:
    """Structure items or members; stop at the limit of reported problems."""
    # cattrs would convert all of them, and a body full of invalid items would block the event loop for
    # seconds.
    structured: list[Any] = []
    refused: list[Exception] = []
    for place, (step, item) in enumerate(items, start=1):
        try:
            structured.append(structure_item(item, item_type))
        except Exception as exc:  # noqa: BLE001 - any exception of a hook rejects the item
            exc.add_note(IterableValidationNote(f"at {step}", step, item_type))
            refused.append(exc)
            if len(refused) == MAX_REPORTED and place < count:
                refused.append(UnreadItemsError(count - place))
                break
    if refused:
        raise IterableValidationError("items refused", refused, cls)
    return structured


def _renamed(cls: type[Any]) -> dict[str, Any]:
    return {field.name: override(rename=wire_name(field.name)) for field in attrs.fields(cls)}


def _class_structure_factory(cls: Any, converter: BaseConverter) -> Hook:
    inner = make_dict_structure_fn(cls, converter, **_renamed(cls))
    attrs.resolve_types(cls)
    member_names = frozenset(wire_name(field.name) for field in attrs.fields(cls) if field.init)

    def hook(value: Any, cls: Any) -> Any:
        # cattrs can refuse unknown names itself, but collects, sorts and joins all of them first.
        refused: list[Exception] = (
            [] if member_names.issuperset(value) else [UnknownNamesError(value, member_names)]
        )
        try:
            structured = inner(value, cls)
        except ClassValidationError as exc:
            own = _refused_by_validators(value, cls, converter) if _is_from_validators(exc) else []
            raise ClassValidationError(exc.message, [*(own or exc.exceptions), *refused], cls) from exc
        if refused:
            raise ClassValidationError("unknown names", refused, cls)
        return structured

    return hook


def _is_from_validators(exc: ClassValidationError) -> bool:
    """Return whether all fields were read and a validator failed: cattrs does not name its field."""
    return not any(step_of(each) for each in exc.exceptions)


def _refused_by_validators(value: Any, cls: Any, converter: BaseConverter) -> list[Exception]:
    fields = [field for field in attrs.fields(cls) if wire_name(field.name) in value]
    values = {field.name: converter.structure(value[wire_name(field.name)], field.type) for field in fields}
    refused: list[Exception] = []
    for field in fields:
        try:
            if field.validator is not None:
                field.validator(SimpleNamespace(**values), field, values[field.name])
        except Exception as exc:  # noqa: BLE001 - any exception of a validator rejects the value
            exc.add_note(AttributeValidationNote(field.name, field.name, field.type))
            refused.append(exc)
    return refused


def _class_unstructure_factory(cls: Any, converter: Converter) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(cls, converter, **_renamed(cls))


def _expecting(kind: type, noun: str, factory: HookFactory) -> HookFactory:
    """Check the type before a factory's hook: cattrs alone would accept a text as a list of characters."""

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
