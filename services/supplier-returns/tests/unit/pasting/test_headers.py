"""Headers of two rows."""

import pytest

from supplier_returns.pasting.headers import _problem_with_second_header

NO_FAULT = None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([["", ""], ["", "Devuelta"], ["HO1", "3"]], "El encabezado tiene dos filas."),
        ([["", ""], ["HO1", "3"]], NO_FAULT),
        ([["HO1", ""], ["", "Devuelta"]], NO_FAULT),
        ([["", "-"], ["HO1", "3"]], NO_FAULT),
        ([], NO_FAULT),
    ],
)
def test_a_second_header_row_that_divides_the_quantity_is_a_problem(
    body: list[list[str]], expected: str | None
) -> None:
    assert _problem_with_second_header(body, 1, 0) == expected
