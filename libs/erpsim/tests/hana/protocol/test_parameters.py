"""Bound values, as the drivers write them."""

import pytest

from erpsim.hana.protocol.codes import Part, Type
from erpsim.hana.protocol.columns import Column
from erpsim.hana.protocol.framing import PartData
from erpsim.hana.protocol.parameters import read_rows


@pytest.mark.parametrize(
    "code", [Type.STRING, Type.NSTRING, Type.NVARCHAR], ids=["hdbcli", "node-hdb", "own"]
)
def test_a_text_is_read_under_each_code_that_drivers_send(code: Type) -> None:
    bound = PartData(Part.PARAMETERS, bytes([code, 3]) + b"abc")
    assert read_rows(bound, [Column("A", Type.NVARCHAR, 10)]) == [["abc"]]
