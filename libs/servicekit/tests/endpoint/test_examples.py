"""Generated examples: each property's word, default or type, and that the result fits the shape."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Literal, Optional

import attrs
import pytest
from openapi_schema_validator import OAS31Validator

from servicekit.endpoint.examples import example_of
from servicekit.endpoint.shapes import structure
from servicekit.openapi.schema import Schemas


class Kind(Enum):
    TEXT = "text"
    NUMBER = "number"


class Level(StrEnum):
    LOW = "low"
    HIGH = "high"


@attrs.frozen(kw_only=True)
class Line:
    item_code: str
    cantidad: Decimal


@attrs.frozen(kw_only=True)
class Node:
    """Contains itself in every way that a class can."""

    name: str
    parent: Optional["Node"]
    children: tuple["Node", ...]
    by_name: dict[str, "Node"]
    first: "Node | None" = None
    last: "Node" = attrs.field(factory=lambda: Node(name="x", parent=None, children=(), by_name={}))


@attrs.frozen(kw_only=True)
class Everything:
    text: str
    number: int
    factor: float
    total: Decimal
    fine: bool
    day: date
    at: datetime
    kind: Kind
    word: Literal["a", "b"]
    lines: tuple[Line, ...]
    names: list[str]
    counts: dict[str, int]
    anything: Any
    maybe: Line | None
    either: int | str
    nothing: None
    level: Level = Level.HIGH
    size: int = 20
    fast: bool = True
    title: str = ""
    more: tuple[Line, ...] = ()
    left_out: str | None = None
    hidden: int = attrs.field(init=False, default=3)


WORDS = {
    "itemCode": "TUB-15",
    "cantidad": 3,
    "at": "2026-01-31T10:00:00.000Z",
    "counts": {"01": 4},
    "kind": "number",
    "either": "P1001",
}
SHAPES = [Everything, Node, Line, list[Line], dict[str, Line], str, int, bool, Kind, Line | None, Any]


def problems(shape: Any, example: Any) -> list[str]:
    schemas = Schemas()
    schema = schemas.schema(shape)
    root = {**schema, "components": {"schemas": schemas.components}}
    return [error.message for error in OAS31Validator(root).iter_errors(example)]


@pytest.mark.parametrize("vocabulary", [{}, WORDS], ids=["plain", "words"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_example_fits_its_shape(shape: Any, vocabulary: dict[str, Any]) -> None:
    assert problems(shape, example_of(shape, vocabulary)) == []


def test_without_vocabulary_types_and_defaults_determine_the_example() -> None:
    line = {"itemCode": "itemCode", "cantidad": 1.5}
    assert example_of(Everything) == {
        "text": "text",
        "number": 1,
        "factor": 1.5,
        "total": 1.5,
        "fine": False,
        "day": "2026-03-02",
        "at": "2026-03-02T14:05:09.120Z",
        "kind": "text",
        "word": "a",
        "lines": [line],
        "names": ["names"],
        "counts": {"counts": 1},
        "anything": None,
        "maybe": line,
        "either": 1,
        "nothing": None,
        "level": "high",
        "size": 20,
        "fast": True,
        "title": "",
        "more": [line],
    }


def test_vocabulary_values_take_precedence() -> None:
    example = example_of(Everything, {**WORDS, "leftOut": "x", "size": 50})
    line = {"itemCode": "TUB-15", "cantidad": 3}
    assert (example["lines"], example["more"], example["maybe"]) == ([line], [line], line)
    assert (example["at"], example["counts"]) == (WORDS["at"], WORDS["counts"])
    assert (example["kind"], example["either"], example["leftOut"], example["size"]) == (
        *("number", "P1001", "x"),
        50,
    )


def test_a_vocabulary_value_may_be_a_whole_value_or_none() -> None:
    lines = [{"itemCode": "A", "cantidad": 1}, {"itemCode": "B", "cantidad": 2}]
    example = example_of(Everything, {"lines": lines, "maybe": None, "leftOut": None, "more": []})
    assert (example["lines"], example["maybe"], example["leftOut"], example["more"]) == (
        lines,
        None,
        None,
        [],
    )


def test_a_class_specific_value_takes_precedence_if_it_fits() -> None:
    words = {"itemCode": "general", "Line.itemCode": "special", "Other.itemCode": "other"}
    assert example_of(Line, words)["itemCode"] == "special"
    assert example_of(Line, {**words, "Line.itemCode": 1})["itemCode"] == "general"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        *[("text", 1), ("text", None), ("number", "1"), ("number", True), ("number", 1.5), ("total", "1")],
        *[("fine", 1), ("day", "2026-02-30"), ("day", "2026-03-02T00:00:00Z"), ("at", "2026-03-02T00:00:00")],
        *[("kind", "TEXT"), ("word", "c"), ("lines", {}), ("lines", [{}]), ("names", "abc"), ("names", [1])],
        *[("counts", {"a": "b"}), ("maybe", {"itemCode": "x"}), ("either", None), ("nothing", 1)],
        *[("lines", [{"itemCode": "x", "cantidad": 1, "other": 1}])],
    ],
)
def test_a_vocabulary_value_with_a_wrong_type_is_skipped(name: str, word: Any) -> None:
    assert example_of(Everything, {name: word}) == example_of(Everything)


def test_a_recursive_class_ends_the_example() -> None:
    assert example_of(Node) == {"name": "name", "parent": None, "children": [], "byName": {}}


def test_an_example_can_be_read_back() -> None:
    line = example_of(Line, WORDS)
    assert structure(line, Line) == Line(item_code="TUB-15", cantidad=Decimal(3))


@pytest.mark.parametrize("shape", [bytes, set[str], object()])
def test_a_type_without_a_json_form_has_no_example(shape: Any) -> None:
    with pytest.raises(TypeError, match="no example"):
        example_of(shape)
