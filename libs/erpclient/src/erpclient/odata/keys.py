"""Record keys: a client's text to the parenthesised form of the upstream path."""

from typing import Protocol

from attrs import frozen


class EntityKey(Protocol):
    """The declared key of a resource."""

    def predicate(self, text: str) -> str:
        """Write the key for a path, percent-encoded: ``(5)``, ``('A%2F1')``, ``(Code='AK',Type=-3)``.

        Raises:
            InvalidKey: the text does not fit the key's type.
        """
        ...

    def filter(self, text: str) -> str:
        """Write the key as a condition, not percent-encoded: ``ItemCode eq 'A/1'``.

        Raises:
            InvalidKey: the text does not fit the key's type.
        """
        ...


@frozen
class IntKey:
    """A 32-bit integer key.

    Attributes:
        name: the key property, like ``DocEntry``.
    """

    name: str

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`: ``(5)``."""
        raise NotImplementedError

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`: ``DocEntry eq 5``."""
        raise NotImplementedError


@frozen
class StrKey:
    """A text key of 1 to ``max_length`` characters.

    Attributes:
        name: the key property, like ``ItemCode``.
        max_length: longest key.
    """

    name: str
    max_length: int = 254

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`: ``('A%2F1')``."""
        raise NotImplementedError

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`: ``ItemCode eq 'A/1'``."""
        raise NotImplementedError


@frozen
class DateKey:
    """A calendar day, ``YYYY-MM-DD``.

    Attributes:
        name: the key property.
    """

    name: str

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`: ``('2024-01-31')``."""
        raise NotImplementedError

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`: ``RateDate eq '2024-01-31'``."""
        raise NotImplementedError


@frozen
class CompositeKey:
    """Several named parts, written by the client as ``TableName='@X',FieldID=0`` in any order.

    Attributes:
        parts: the parts in the order in which the ERP declares them.
    """

    parts: tuple[IntKey | StrKey | DateKey, ...]

    def predicate(self, text: str) -> str:
        """As :meth:`EntityKey.predicate`: all parts by name, in declared order."""
        raise NotImplementedError

    def filter(self, text: str) -> str:
        """As :meth:`EntityKey.filter`: one ``eq`` for each part, joined by ``and``."""
        raise NotImplementedError
