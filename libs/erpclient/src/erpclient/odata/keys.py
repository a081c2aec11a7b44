"""Record keys: a client's text to the parenthesised form of the upstream path."""

import re
from collections.abc import Iterable
from typing import ClassVar, Final, Protocol
from urllib.parse import quote

from attrs import Attribute, field, frozen
from attrs.validators import ge, matches_re

from erpclient.odata.errors import Expected, InvalidKey, InvalidLiteral, ODataErrorCode, shown
from erpclient.odata.literals import is_calendar_day, quote_string

_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,9}")
_SMALLEST: Final = -(2**31)
_LARGEST: Final = 2**31 - 1
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_PART: Final = re.compile(
    rf"(?P<name>{_NAME})=(?:'(?P<text>[^']*+(?>(?:''[^']*+)*))'|(?P<bare>[^',]++))(?P<comma>,|\Z)"
)


class EntityKey(Protocol):
    """The declared key of a resource."""

    def predicate(self, text: str) -> str:
        """Write the key for a path, percent-encoded: ``(5)``, ``('A%2F1')``, ``(Code='AK',Type=-3)``.

        Args:
            text: the key as the client wrote it, decoded.

        Raises:
            InvalidKey: the text does not fit the key's type.
        """
        ...

    def filter(self, text: str) -> str:
        """Write the key as a condition, not percent-encoded: ``ItemCode eq 'A/1'``.

        Args:
            text: the key as the client wrote it, decoded.

        Raises:
            InvalidKey: the text does not fit the key's type.
        """
        ...


class SimpleKey(EntityKey, Protocol):
    """A key of one property, which may also be a part of a composite one."""

    quoted: ClassVar[bool]

    @property
    def name(self) -> str:
        """The key property, like ``DocEntry``."""
        ...

    def literal(self, text: str) -> str:
        """Check a value and write it as an OData literal, not percent-encoded.

        Raises:
            InvalidKey: the text does not fit the key's type.
        """
        ...


@frozen
class IntKey:
    """A 32-bit integer key: ``(5)``, ``DocEntry eq 5``.

    Attributes:
        name: the key property, like ``DocEntry``.
    """

    quoted: ClassVar[bool] = False
    name: str = field(validator=matches_re(_NAME))

    def literal(self, text: str) -> str:
        """As :meth:`SimpleKey.literal`; plus signs and leading zeros are rejected."""
        if _INTEGER.fullmatch(text) and _SMALLEST <= int(text) <= _LARGEST:
            return text
        raise _refusal("no integer of 32 bits", text, Expected.INTEGER)

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`."""
        return f"({_encode(self.literal(text))})"

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`."""
        return f"{self.name} eq {self.literal(text)}"


@frozen
class StrKey:
    """A text key: ``('A%2F1')``, ``ItemCode eq 'A/1'``.

    Attributes:
        name: the key property, like ``ItemCode``.
        max_length: maximum length in characters; the minimum is one.
    """

    quoted: ClassVar[bool] = True
    name: str = field(validator=matches_re(_NAME))
    max_length: int = field(default=254, validator=ge(1))

    def literal(self, text: str) -> str:
        """As :meth:`SimpleKey.literal`; rejects the same texts as :func:`erpclient.odata.quote_string`."""
        if not 1 <= len(text) <= self.max_length:
            raise _refusal(f"not 1 to {self.max_length} characters", text, Expected.QUOTED_TEXT)
        try:
            return quote_string(text)
        except InvalidLiteral as fault:
            raise _refusal(fault.reason, text, *fault.expected) from None

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`."""
        return f"({_encode(self.literal(text))})"

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`."""
        return f"{self.name} eq {self.literal(text)}"


@frozen
class DateKey:
    """A calendar day, ``YYYY-MM-DD``: ``('2024-01-31')``, ``RateDate eq '2024-01-31'``.

    It is written as quoted text, the one form that every version of the Service Layer reads as a date
    (SAP's manual of the Service Layer, on dates in filters).

    Attributes:
        name: the key property, like ``RateDate``.
    """

    quoted: ClassVar[bool] = True
    name: str = field(validator=matches_re(_NAME))

    def literal(self, text: str) -> str:
        """As :meth:`SimpleKey.literal`; the date must exist."""
        if _DAY.fullmatch(text) and is_calendar_day(text.replace("-", "")):
            return f"'{text}'"
        raise _refusal("no day of the calendar", text, Expected.QUOTED_DATE)

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`."""
        return f"({_encode(self.literal(text))})"

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`."""
        return f"{self.name} eq {self.literal(text)}"


def _parts(parts: Iterable[SimpleKey]) -> tuple[SimpleKey, ...]:
    return tuple(parts)


def _check_parts(
    _: "CompositeKey", __: "Attribute[tuple[SimpleKey, ...]]", parts: tuple[SimpleKey, ...]
) -> None:
    if not parts or len({part.name for part in parts}) < len(parts):
        raise ValueError("a composite key has parts, each with a name of its own")


@frozen
class CompositeKey:
    """Several named parts, written by the client as ``TableName='@X',FieldID=0`` in any order.

    Attributes:
        parts: the parts in the order in which the ERP declares them.
    """

    parts: tuple[SimpleKey, ...] = field(converter=_parts, validator=_check_parts)

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`: all parts by name, in declared order."""
        literals = self._literals(text)
        return "(" + ",".join(f"{part.name}={_encode(literals[part.name])}" for part in self.parts) + ")"

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`: one ``eq`` for each part, joined by ``and``."""
        literals = self._literals(text)
        return " and ".join(f"{part.name} eq {literals[part.name]}" for part in self.parts)

    def _literals(self, text: str) -> dict[str, str]:
        missing = {part.name: part for part in self.parts}
        literals: dict[str, str] = {}
        position = 0
        while missing:
            match = _PART.match(text, position)
            part = None if match is None else missing.pop(match["name"], None)
            if match is None or part is None or part.quoted != (match["text"] is not None):
                raise self._not_understood(text[position:])
            literals[part.name] = part.literal(
                match["text"].replace("''", "'") if part.quoted else match["bare"]
            )
            position = match.end()
            if bool(missing) != bool(match["comma"]):
                raise self._not_understood(text[position:])
        return literals

    def _not_understood(self, rest: str) -> InvalidKey:
        names = ", ".join(part.name for part in self.parts)
        return _refusal(f"the key is Name=value for each of {names}, with commas between", rest)


def _encode(literal: str) -> str:
    """Percent-encode a literal for a path; only the quotes around it stay as they are."""
    if literal.startswith("'"):
        return f"'{quote(literal[1:-1], safe='')}'"
    return literal


def _refusal(reason: str, text: str, *expected: Expected) -> InvalidKey:
    return InvalidKey(ODataErrorCode.KEY, reason, expected=expected, found=shown(text))
