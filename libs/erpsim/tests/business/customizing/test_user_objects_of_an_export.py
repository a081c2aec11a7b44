"""Objects and tables that a company's own export defines."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from erpsim.company.rows.merging import rows_of
from erpsim.desk import Desk
from erpsim.facts import load_own_facts
from erpsim.world import World


@pytest.fixture
def own_desk(tmp_path: Path) -> Desk:
    """A company with a document object `LIB_ODEV`, its rows, and a user table."""
    path = tmp_path / "own.xml"
    path.write_text(OWN, encoding="utf-8")
    return Desk(World(load_own_facts(path), seed="empty"))


OWN = """<Edmx><Schema Namespace="SAPB1">
 <ComplexType Name="Table2TypeMapping"><Property Table="@LIB_ODEV" Type="SAPB1.LIB_ODEV"/></ComplexType>
 <ComplexType Name="LIB_DEV1"><Property Name="DocEntry" Type="Edm.Int32"/>
  <Property Name="LineId" Type="Edm.Int32"/><Property Name="U_QTY" Type="Edm.Double"/></ComplexType>
 <EntityType Name="LIB_ODEV"><Key><PropertyRef Name="DocEntry"/></Key>
  <Property Name="DocEntry" Type="Edm.Int32" Writable="false"/><Property Name="DocNum" Type="Edm.Int32"/>
  <Property Name="Status" Type="Edm.String"/><Property Name="Canceled" Type="Edm.String"/>
  <Property Name="Handwrtten" Type="Edm.String"/><Property Name="Creator" Type="Edm.String"/>
  <Property Name="UpdateTime" Type="Edm.Time"/><Property Name="U_NOTA" Type="Edm.String"/>
  <Property Name="LIB_DEV1Collection" Type="Collection(SAPB1.LIB_DEV1)"/></EntityType>
 <EntityType Name="NOTA"><Key><PropertyRef Name="Code"/></Key>
  <Property Name="Code" Type="Edm.String"/><Property Name="U_TEXTO" Type="Edm.String"/></EntityType>
 <EntityContainer><EntitySet Name="LIB_ODEV" EntityType="SAPB1.LIB_ODEV"/>
  <EntitySet Name="U_NOTA" EntityType="SAPB1.NOTA"/>
  <FunctionImport Name="Close" IsBindable="true"><Parameter Name="P" Type="SAPB1.LIB_ODEV"/></FunctionImport>
  <FunctionImport Name="Cancel" IsBindable="true"><Parameter Name="P" Type="SAPB1.LIB_ODEV"/></FunctionImport>
  <FunctionImport Name="Odd" IsBindable="true"><Parameter Name="P" Type="SAPB1.LIB_ODEV"/></FunctionImport>
 </EntityContainer></Schema></Edmx>
"""


def test_a_document_object_has_its_own_spellings(own_desk: Desk) -> None:
    made = own_desk.create("LIB_ODEV", {"U_NOTA": "x", "LIB_DEV1Collection": [{"U_QTY": 1}, {"U_QTY": "2"}]})
    assert (made["DocEntry"], made["DocNum"], made["Status"], made["Canceled"]) == (1, 1, "O", "N")
    assert (made["Handwrtten"], made["Creator"]) == ("N", "manager")
    rows = rows_of(made, "LIB_DEV1Collection")
    assert [(row["LineId"], row["DocEntry"], row["U_QTY"]) for row in rows] == [
        (1, 1, Decimal("1.0")),
        (2, 1, Decimal("2.0")),
    ]
    assert own_desk.etag("LIB_ODEV", 1) is None


def test_rows_of_an_object_are_matched_by_line_id(own_desk: Desk) -> None:
    own_desk.create("LIB_ODEV", {"LIB_DEV1Collection": [{"U_QTY": 1}, {"U_QTY": 2}]})
    own_desk.change("LIB_ODEV", 1, {"LIB_DEV1Collection": [{"LineId": 2, "U_QTY": 9}]})
    rows = rows_of(own_desk.read("LIB_ODEV", 1), "LIB_DEV1Collection")
    assert [row["U_QTY"] for row in rows] == [Decimal("1.0"), Decimal("9.0")]
    replacement = {"LIB_DEV1Collection": [{"LineId": 2}, {"U_QTY": 5}]}
    own_desk.change("LIB_ODEV", 1, replacement, replace_collections=True)
    rows = rows_of(own_desk.read("LIB_ODEV", 1), "LIB_DEV1Collection")
    assert [(row["LineId"], row["U_QTY"]) for row in rows] == [(2, Decimal("9.0")), (3, Decimal("5.0"))]


@pytest.mark.parametrize(("action", "status", "cancelled"), [("Close", "C", "N"), ("Cancel", "C", "Y")])
def test_a_closed_or_cancelled_object_refuses_changes(
    own_desk: Desk, action: str, status: str, cancelled: str
) -> None:
    own_desk.create("LIB_ODEV", {})
    own_desk.act("LIB_ODEV", 1, action)
    after = own_desk.read("LIB_ODEV", 1)
    assert (after["Status"], after["Canceled"]) == (status, cancelled)
    assert own_desk.refusal(own_desk.change, "LIB_ODEV", 1, {"U_NOTA": "y"}).code == -5006
    assert own_desk.refusal(own_desk.act, "LIB_ODEV", 1, action).code == -5006
    own_desk.delete("LIB_ODEV", 1)


def test_an_unknown_action_is_refused(own_desk: Desk) -> None:
    own_desk.create("LIB_ODEV", {})
    assert own_desk.refusal(own_desk.act, "LIB_ODEV", 1, "Odd").status == 501


def test_a_user_table_has_its_code_as_key(own_desk: Desk) -> None:
    own_desk.create("U_NOTA", {"Code": "Ñ/1", "U_TEXTO": "x"})
    own_desk.change("U_NOTA", "Ñ/1", {"U_TEXTO": "y"})
    assert own_desk.read("U_NOTA", "Ñ/1")["U_TEXTO"] == "y"
    assert own_desk.refusal(own_desk.create, "U_NOTA", {"Code": "Ñ/1"}).code == -2035
    assert own_desk.refusal(own_desk.create, "U_NOTA", {}).code == -5002
