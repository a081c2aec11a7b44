"""Declarations of report parameters: name, type, whether it is required, and its form input."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from attrs import evolve, field, frozen

InputKind: TypeAlias = Literal["text", "number", "date", "boolean", "select", "hidden"]
"""Kind of form input. A `hidden` parameter always has its default; a sent value is ignored."""

Scalar: TypeAlias = str | Decimal | date | datetime | bool
"""One typed value; whole numbers are `Decimal`, too."""


class ValueType(Enum):
    """Type of a value."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "datetime"
    BOOLEAN = "boolean"


ORDERED: Final = frozenset({ValueType.NUMBER, ValueType.DATE, ValueType.DATETIME})
"""Types that have a least and a greatest value."""


@frozen
class Interval:
    """Value of a range parameter; both ends are included."""

    start: Scalar
    end: Scalar


Value: TypeAlias = Scalar | Interval | tuple[Scalar, ...]
"""Value of a parameter: a single one, a range, or several."""


@frozen(kw_only=True)
class Option:
    """One choice of a `select`: the value as it is sent, and its text for people."""

    value: str
    label: str


@frozen(kw_only=True)
class OptionsQuery:
    """A registered query without parameters whose rows are the choices of a `select`.

    Attributes:
        query: its name.
        value: the column with the values.
        label: the column with their texts for people.
    """

    query: str
    value: str = "value"
    label: str = "label"


@frozen(kw_only=True)
class ParameterInput:
    """Form input of a parameter.

    Days may be relative: `hoy`, `inicio_mes`, `inicio_ano`.

    Attributes:
        kind: the kind of input.
        options: choices of a `select`; empty for any other kind.
        options_from: query that returns the choices instead; only for reports declared in code.
        default: value used if none is sent, in the form in which clients send it.
        minimum: smallest number, or first day or time, that is accepted; None for no limit.
        maximum: the largest, or the last.
        not_before: name of another parameter of the same type that this one must not be less than; None for
            no comparison. Without a value of either, they are not compared.
    """

    kind: InputKind = "text"
    options: tuple[Option, ...] = ()
    options_from: OptionsQuery | None = None
    default: Any = None
    minimum: Any = None
    maximum: Any = None
    not_before: str | None = None


@frozen(kw_only=True)
class ReportParameter:
    """One parameter of a report.

    Attributes:
        name: the report's own name, byte for byte; it may hold blanks, an `@` and what follows it.
        type: the designer's type (`xsd:string`, `xsd:decimal`, `xsd:date`, …); the prefix may be left out.
        required: whether a value must be there.
        is_doc_entry: whether it takes the `DocEntry` of the document that is printed; always required.
        label: its name for people; without one, the name up to its `@`.
        input: how it is asked for.
        is_range: whether it takes two ends, sent as `{"from": …, "to": …}`.
        is_multiple: whether it takes several values, sent as a list.
    """

    name: str
    type: str
    required: bool = False
    is_doc_entry: bool = False
    label: str | None = None
    input: ParameterInput = field(factory=ParameterInput)
    is_range: bool = False
    is_multiple: bool = False

    @property
    def value_type(self) -> ValueType:
        """Type of its values: from the designer's type, and for texts from the kind of input."""
        declared = _value_type(self.type)
        if declared is ValueType.TEXT:
            return _TYPES_OF_KINDS.get(self.input.kind, ValueType.TEXT)
        return declared

    @property
    def shown_label(self) -> str:
        """The label for people, never empty."""
        return self.label or display_label(self.name)


def shown_parameters(
    parameters: Iterable[ReportParameter], *, to_administrator: bool
) -> tuple[ReportParameter, ...]:
    """Return parameters as a form may show them; only administrators see the value of hidden ones.

    That value is their default. Bounds and choices would reveal it as well, so they are removed too.
    """
    return tuple(
        each
        if to_administrator or each.input.kind != "hidden"
        else evolve(each, input=ParameterInput(kind="hidden"))
        for each in parameters
    )


_TYPES: Final[Mapping[str, ValueType]] = {
    **dict.fromkeys(
        ("decimal", "number", "integer", "int", "long", "short", "double", "float"), ValueType.NUMBER
    ),
    "date": ValueType.DATE,
    "datetime": ValueType.DATETIME,
    "boolean": ValueType.BOOLEAN,
}
_TYPES_OF_KINDS: Final[Mapping[str, ValueType]] = {
    "number": ValueType.NUMBER,
    "date": ValueType.DATE,
    "boolean": ValueType.BOOLEAN,
}


def _value_type(designer_type: str) -> ValueType:
    return _TYPES.get(designer_type.casefold().removeprefix("xsd:"), ValueType.TEXT)


KNOWN_TYPES: Final = ("string", *_TYPES)
"""The designer's types with their own meaning, without prefix; any other is treated as text."""


def is_known_type(designer_type: str) -> bool:
    """Return True if a type is one of `KNOWN_TYPES`."""
    return designer_type.casefold().removeprefix("xsd:") in KNOWN_TYPES


def display_label(name: str) -> str:
    """Return a parameter's name for people: the part before its `@`, after which the designer has a lookup.

    `Item@Select * from OITM` is `Item` (SAP's user guide of the API gateway). The lookup is never run.
    """
    return name.partition("@")[0].strip() or name
