"""Problems of fields: the first ones are reported, the others counted."""

from error_classes import Teapot, body

from servicekit.errors import (
    FieldProblem,
)


def test_the_first_twenty_field_problems_are_listed_and_the_others_counted() -> None:
    found = (FieldProblem(f"lines[{number}]", "No.") for number in range(25))
    result = body(Teapot(errors=found))["errors"]
    assert [problem["path"] for problem in result] == [*(f"lines[{number}]" for number in range(20)), ""]
    assert result[20]["message"] == "Además, problemas sin mostrar: 5."
    few = [FieldProblem("x", "No.")] * 20
    assert len(body(Teapot(errors=few))["errors"]) == 20
