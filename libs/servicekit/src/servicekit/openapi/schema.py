"""Types to JSON Schema 2020-12; attrs classes become components."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from servicekit.endpoint.shape_problems import wire_name

_PLAIN: Final[Mapping[Any, Mapping[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Decimal: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    Any: {},
    object: {},
}


class Schemas:
    """Builds schemas and collects those of attrs classes.

    Attributes:
        components: the schemas of the attrs classes met so far, by class name.
    """

    def __init__(self) -> None:
        self.components: dict[str, dict[str, Any]] = {}
        self._classes: dict[str, type[Any]] = {}

    def schema(self, shape: Any) -> dict[str, Any]:
        """Return the schema of a type; a mapping is used as a handwritten schema.

        Raises:
            TypeError: a type that the library does not read from JSON either, or two classes of one name.
        """
        if isinstance(shape, Mapping):
            return dict(shape)
        if shape in _PLAIN:
            return dict(_PLAIN[shape])
        if get_origin(shape) is not None:
            return self._generic_schema(get_origin(shape), get_args(shape))
        return self._class_schema(shape)

    def _generic_schema(self, origin: Any, arguments: tuple[Any, ...]) -> dict[str, Any]:
        if origin in {Union, UnionType}:
            return _any_of([self.schema(argument) for argument in arguments])
        if origin in {list, tuple}:
            return {"type": "array", "items": self.schema(arguments[0])}
        if origin in {dict, Mapping}:
            return {"type": "object", "additionalProperties": self.schema(arguments[1])}
        if origin is Literal:
            return {"enum": list(arguments)}
        raise TypeError(f"no JSON Schema for {origin!r}")

    def _class_schema(self, cls: Any) -> dict[str, Any]:
        if isinstance(cls, type) and issubclass(cls, Enum):
            return {"enum": [member.value for member in cls]}
        if not isinstance(cls, type) or not attrs.has(cls):
            raise TypeError(f"no JSON Schema for {cls!r}")
        if self._classes.setdefault(cls.__name__, cls) is not cls:
            raise TypeError(
                f"two classes are called {cls.__name__}: {cls!r} and {self._classes[cls.__name__]!r}"
            )
        if cls.__name__ not in self.components:
            self.components[cls.__name__] = {}  # a class that contains itself refers to this entry
            self.components[cls.__name__].update(self._object_schema(cls))
        return {"$ref": f"#/components/schemas/{cls.__name__}"}

    def _object_schema(self, cls: type[Any]) -> dict[str, Any]:
        hints = get_type_hints(cls)
        fields = [field for field in attrs.fields(cls) if field.init]
        required = [wire_name(field.name) for field in fields if field.default is attrs.NOTHING]
        description = (cls.__doc__ or "").strip().split("\n\n", maxsplit=1)[0]
        return {
            "type": "object",
            **({"description": " ".join(description.split())} if description else {}),
            "properties": {wire_name(field.name): self.schema(hints[field.name]) for field in fields},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }


def _any_of(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Join alternatives; `X | None` of a plain type becomes a type list of two."""
    if len(schemas) == 2 and schemas[1] == {"type": "null"} and isinstance(schemas[0].get("type"), str):  # noqa: PLR2004 - a pair
        return {**schemas[0], "type": [schemas[0]["type"], "null"]}
    return {"anyOf": schemas}
