"""JSON values to attrs classes and back: strict types, camelCase on the wire, problems with their path."""

from typing import Any, TypeVar

T = TypeVar("T")


class InvalidValue(ValueError):
    """Raised by an attrs validator or converter of a body class: its text (Spanish) is shown beside the field."""


def structure(value: Any, cls: type[T]) -> T:
    """Turn a JSON value into an instance.

    Raises:
        InvalidBody: With one entry for each problem.
    """
    raise NotImplementedError


def unstructure(value: Any) -> Any:
    """Turn attrs classes (also nested in lists and mappings) into JSON-ready values; times as UTC with `Z`."""
    raise NotImplementedError
