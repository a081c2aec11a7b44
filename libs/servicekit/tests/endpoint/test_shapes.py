"""JSON values to attrs classes and back."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from servicekit.endpoint import InvalidValue
from servicekit.endpoint.shape_problems import wire_name
from servicekit.endpoint.shapes import structure, unstructure
from servicekit.errors import MAX_REPORTED, InvalidBody


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Shade(StrEnum):
    DARK = "dark"


def _at_most_two(_instance: Any, _attribute: Any, value: tuple[str, ...]) -> None:
    if len(value) > 2:
        raise InvalidValue("Son demasiados.", "[2]")


def _later_than_day(instance: Any, _attribute: Any, value: date | None) -> None:
    if value is not None and value < instance.day:
        raise InvalidValue("Es anterior al primer día.")


@attrs.frozen(kw_only=True)
class Line:
    item_code: str
    quantity: Decimal = Decimal(1)


@attrs.frozen(kw_only=True)
class Order:
    web_user: str = attrs.field(default="ana", validator=attrs.validators.max_len(3))
    paths: tuple[str, ...] = attrs.field(default=(), validator=_at_most_two)
    document_lines: list[Line] = attrs.field(factory=list)
    counts: dict[str, int] = attrs.field(factory=dict)
    anything: dict[str, Any] = attrs.field(factory=dict)
    kind: Literal["text", "number", 3] = "text"
    colour: Colour | None = None
    shade: Shade = Shade.DARK
    total: Decimal | None = None
    day: date = date(2026, 1, 1)
    last_day: date | None = attrs.field(default=None, validator=_later_than_day)
    at: datetime | None = None
    factor: float = 1.0
    number: int = 0
    fine: bool = False


FULL = {
    "webUser": "eva",
    "paths": ["/a", "/b"],
    "documentLines": [{"itemCode": "A/1"}, {"itemCode": "ñ", "quantity": Decimal("1.50")}],
    "counts": {"x": 1},
    "anything": {"deep": [{"x": Decimal("1.10")}]},
    "kind": 3,
    "colour": "blue",
    "shade": "dark",
    "total": Decimal("100.10"),
    "day": "2026-01-31",
    "lastDay": "2026-02-01",
    "at": "2026-01-31T10:00:00-03:00",
    "factor": 2,
    "number": 7,
    "fine": True,
}


def test_every_understood_type_is_read() -> None:
    assert structure(FULL, Order) == Order(
        web_user="eva",
        paths=("/a", "/b"),
        document_lines=[Line(item_code="A/1"), Line(item_code="ñ", quantity=Decimal("1.50"))],
        counts={"x": 1},
        anything={"deep": [{"x": Decimal("1.10")}]},
        kind=3,
        colour=Colour.BLUE,
        shade=Shade.DARK,
        total=Decimal("100.10"),
        day=date(2026, 1, 31),
        last_day=date(2026, 2, 1),
        at=datetime(2026, 1, 31, 13, tzinfo=UTC),
        factor=2.0,
        number=7,
        fine=True,
    )


def test_a_read_value_is_written_back() -> None:
    written = unstructure(structure(FULL, Order))
    assert written == FULL | {
        "documentLines": [
            {"itemCode": "A/1", "quantity": Decimal(1)},
            {"itemCode": "ñ", "quantity": Decimal("1.50")},
        ],
        "at": "2026-01-31T13:00:00.000Z",
        "factor": 2.0,
    }


def test_missing_values_have_their_defaults() -> None:
    assert structure({}, Order) == Order()


def problems(value: Any, cls: type[Any] = Order) -> list[tuple[str, str]]:
    with pytest.raises(InvalidBody) as raised:
        structure(value, cls)
    return [(problem.path, problem.message) for problem in raised.value.errors]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("webUser", 1, "Debe ser un texto."),
        ("webUser", None, "Debe ser un texto."),
        ("paths", "abc", "Debe ser una lista."),
        ("paths", {"0": "a"}, "Debe ser una lista."),
        ("documentLines", {}, "Debe ser una lista."),
        ("counts", [], "Debe ser un objeto."),
        ("anything", "x", "Debe ser un objeto."),
        ("kind", "date", "Debe ser uno de: text, number, 3."),
        ("kind", True, "Debe ser uno de: text, number, 3."),
        ("colour", "RED", "Debe ser uno de: red, blue."),
        ("shade", "light", "Debe ser uno de: dark."),
        ("total", "1.10", "Debe ser un número."),
        ("total", True, "Debe ser un número."),
        ("total", Decimal("1e999999"), "Debe ser un número de menor tamaño."),
        ("total", Decimal("1." + "0" * 100_000), "Debe ser un número con menos cifras."),
        ("day", "2026-1-31", "Debe ser una fecha como 2026-01-31."),
        ("day", "2026-02-30", "Debe ser una fecha como 2026-01-31."),
        ("day", 20260131, "Debe ser una fecha como 2026-01-31."),
        ("at", "2026-01-31T10:00:00", "Debe ser una fecha y hora con zona, como 2026-01-31T15:00:00Z."),
        ("at", "soon", "Debe ser una fecha y hora como 2026-01-31T15:00:00Z."),
        ("at", 3, "Debe ser una fecha y hora como 2026-01-31T15:00:00Z."),
        ("factor", "1", "Debe ser un número."),
        ("factor", False, "Debe ser un número."),
        ("factor", Decimal("1e999"), "Debe ser un número de menor tamaño."),
        ("factor", 10**400, "Debe ser un número de menor tamaño."),
        ("number", 1.0, "Debe ser un número entero."),
        ("number", Decimal("1.0"), "Debe ser un número entero."),
        ("number", True, "Debe ser un número entero."),
        ("number", "1", "Debe ser un número entero."),
        ("fine", 0, "Debe ser verdadero o falso (true o false)."),
        ("fine", "true", "Debe ser verdadero o falso (true o false)."),
    ],
)
def test_values_of_a_wrong_type_are_not_converted(name: str, value: Any, message: str) -> None:
    assert problems({name: value}) == [(name, message)]


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ({"paths": ["a", 1]}, "paths[1]", "Debe ser un texto."),
        ({"documentLines": [{"itemCode": "a"}, {}]}, "documentLines[1].itemCode", "Falta este campo."),
        ({"documentLines": [{"itemCode": "a", "x": 1}]}, "documentLines[0].x", "Este campo no existe."),
        ({"documentLines": [3]}, "documentLines[0]", "Debe ser un objeto."),
        ({"counts": {"a b": "x"}}, "counts.a b", "Debe ser un número entero."),
        ({"web_user": "ana"}, "web_user", "Este campo no existe."),
        ({"x" * 5000: 1}, "x" * 100, "Este campo no existe."),
        ({"counts": {"x" * 5000: "1"}}, "counts." + "x" * 100, "Debe ser un número entero."),
    ],
)
def test_the_path_of_a_problem_uses_wire_names(value: Any, path: str, message: str) -> None:
    assert problems(value) == [(path, message)]


def test_problems_of_validators_are_reported_together_with_their_fields() -> None:
    assert problems(
        {"webUser": "long", "paths": ["1", "2", "3"], "day": "2026-02-01", "lastDay": "2026-01-31"}
    ) == [
        ("webUser", "El valor no es válido."),
        ("paths[2]", "Son demasiados."),
        ("lastDay", "Es anterior al primer día."),
    ]


@attrs.frozen(kw_only=True)
class Whole:
    lines: tuple[Line, ...]
    order: Order | None = None

    def __attrs_post_init__(self) -> None:
        if not self.lines:
            raise InvalidValue("Falta al menos una línea.")


def test_a_refusal_of_the_whole_class_has_the_classs_path() -> None:
    assert problems({"lines": []}, Whole) == [("", "Falta al menos una línea.")]


def test_refusals_of_nested_validators_have_their_path() -> None:
    value = {"lines": [{"itemCode": "a"}], "order": {"paths": ["1", "2", "3"]}}
    assert problems(value, Whole) == [("order.paths[2]", "Son demasiados.")]


def _refuse_with_a_note(_instance: Any, _attribute: Any, _value: int) -> None:
    refusal = InvalidValue("No.")
    refusal.add_note("a note of somebody else")
    raise refusal


def test_a_foreign_exception_note_is_not_used_as_a_path() -> None:
    noted = attrs.make_class("Noted", {"x": attrs.field(type=int, validator=_refuse_with_a_note)})
    assert problems({"x": 1}, noted) == [("x", "No.")]


class WatchedList(list[Any]):
    """Counts the items that somebody looks at."""

    taken = 0

    @override
    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self.taken += 1
            yield item


class WatchedDict(dict[str, Any]):
    """Counts the names that somebody looks at one after another."""

    taken = 0

    @override
    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            self.taken += 1
            yield name


@pytest.mark.parametrize("kind", [list[str], tuple[str, ...]])
def test_reading_a_list_stops_at_the_last_reported_item(kind: Any) -> None:
    items = WatchedList([0] * 1_000)
    reported = problems(items, kind)
    assert items.taken == MAX_REPORTED
    assert reported == [
        *((f"[{index}]", "Debe ser un texto.") for index in range(MAX_REPORTED)),
        ("", "Además, elementos sin revisar: 980."),
    ]


def test_a_list_of_only_reported_errors_has_no_remainder() -> None:
    assert len(problems([0] * MAX_REPORTED, list[str])) == MAX_REPORTED


def test_reading_members_stops_at_the_last_reported_one() -> None:
    reported = problems({f"name {number}": "x" for number in range(1_000)}, dict[str, int])
    assert reported[MAX_REPORTED - 1 :] == [
        ("name 19", "Debe ser un número entero."),
        ("", "Además, elementos sin revisar: 980."),
    ]


def test_only_reported_unknown_names_are_examined() -> None:
    body = WatchedDict({f"name {number}": 1 for number in range(100_000)} | {"webUser": 3})
    reported = problems(body)
    assert reported[0] == ("webUser", "Debe ser un texto.")
    assert reported[1] == ("name 0", "Este campo no existe.")
    assert reported[MAX_REPORTED:] == [("", "Además, problemas sin mostrar: 99981.")]
    assert body.taken <= 2 * MAX_REPORTED


def test_problems_of_several_lists_are_counted_together() -> None:
    lines = [{"itemCode": 1, "x": 1, "y": 1}] * 30
    assert problems({"lines": lines}, Whole)[MAX_REPORTED:] == [
        ("", "Además, problemas sin mostrar: 40; elementos sin revisar: 10.")
    ]


def test_unknown_names_are_reported_together_with_problems_of_validators() -> None:
    assert problems({"webUser": "long", "x": 1}) == [
        ("webUser", "El valor no es válido."),
        ("x", "Este campo no existe."),
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text() | st.sampled_from(sorted(FULL)), x),
    )
)
def test_no_value_breaks_the_reader(value: Any) -> None:
    with suppress(InvalidBody):
        assert isinstance(structure(value, Order), Order)


@pytest.mark.parametrize(
    ("name", "wire"), [("web_user", "webUser"), ("id", "id"), ("doc_entry_2", "docEntry2"), ("at", "at")]
)
def test_names_are_camel_case_on_the_wire(name: str, wire: str) -> None:
    assert wire_name(name) == wire


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ([Line(item_code="a")], [{"itemCode": "a", "quantity": Decimal(1)}]),
        ({"x": (Line(item_code="a"),)}, {"x": [{"itemCode": "a", "quantity": Decimal(1)}]}),
        (date(2026, 1, 31), "2026-01-31"),
        (Colour.RED, "red"),
        (None, None),
        ("x", "x"),
    ],
)
def test_plain_values_around_classes_are_written(value: Any, written: Any) -> None:
    assert unstructure(value) == written


@attrs.frozen(kw_only=True)
class Placed:
    x: int = 1
    place: str = attrs.field(default="here", init=False)


def test_computed_attributes_are_neither_written_nor_read() -> None:
    assert unstructure(Placed(x=2)) == {"x": 2}
    with pytest.raises(InvalidBody) as refused:
        structure({"x": 2, "place": "there"}, Placed)
    assert [each.path for each in refused.value.errors] == ["place"]
