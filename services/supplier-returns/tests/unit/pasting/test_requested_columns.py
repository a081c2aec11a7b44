"""Requested columns must exist in the table and have one meaning."""

import pytest

from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.requested_columns import (
    RequestedColumnsError,
    check_requested,
    requested_columns,
)


def test_null_leaves_a_column_out() -> None:
    sent = {"codigo": 0, "cantidad": 2, "motivo": None, "almacen": 1, "comentario": None}
    assert requested_columns(sent) == {Column.CODE: 0, Column.QUANTITY: 2, Column.WAREHOUSE: 1}


@pytest.mark.parametrize(
    ("columns", "refused"),
    [
        ({Column.CODE: 0, Column.QUANTITY: 3}, [Column.QUANTITY]),
        ({Column.CODE: -1, Column.QUANTITY: 0}, [Column.CODE]),
        ({Column.CODE: 0, Column.QUANTITY: 0}, [Column.QUANTITY]),
        ({Column.CODE: 0, Column.QUANTITY: 1, Column.REASON: 1}, [Column.REASON]),
        ({Column.CODE: 5, Column.QUANTITY: 5}, [Column.CODE, Column.QUANTITY]),
        ({Column.CODE: 0, Column.QUANTITY: 2**80}, [Column.QUANTITY]),
    ],
)
def test_requested_columns_must_exist_and_have_one_meaning(
    columns: dict[Column, int], refused: list[Column]
) -> None:
    check_requested({Column.CODE: 0, Column.QUANTITY: 2}, 3)
    with pytest.raises(RequestedColumnsError) as error:
        check_requested(columns, 3)
    assert [column for column, _ in error.value.problems] == refused
