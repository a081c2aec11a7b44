"""A person's own export, in both generations."""

from __future__ import annotations

from pathlib import Path

import pytest

from erpsim.desk import Desk
from erpsim.facts import Facts, FactsError, load_own_facts
from erpsim.facts.edmx import read_edmx
from erpsim.world import World


def test_an_own_export_adds_fields_objects_and_tables(v1_export: Path, facts: Facts) -> None:
    own = load_own_facts(v1_export)
    assert own.types["Item"].properties["U_MARCA"].user_field
    assert own.types["Item"].properties["ItemName"] == facts.types["Item"].properties["ItemName"]
    assert own.entity_sets["Items"].type is own.types["Item"]
    assert own.entity_sets["LIB_ODEV"].user_object
    assert own.entity_sets["U_NOTA"].user_object
    assert not own.entity_sets["Items"].user_object
    assert own.entity_sets["LIB_ODEV"].type.actions == {"Close", "Cancel"}
    assert own.entity_sets["LIB_ODEV"].type.navigation.keys() == {"Partner"}
    assert own.types["NOTA"].properties["U_BLOB"].type_name == "Edm.String"
    assert own.operations["LIBService_GetList"].returns == "Collection(LIB_ODEV)"
    assert "LandedCosts" not in own.entity_sets
    assert "LandedCosts" in own.other_sets


def test_an_own_company_opens_with_the_seeds(v1_export: Path) -> None:
    desk = Desk(World(load_own_facts(v1_export), seed="small"))
    desk.change("Items", "A/1", {"U_MARCA": "Ñuble", "U_ESTADO": "A"})
    assert desk.read("Items", "A/1")["U_ESTADO"] == "meAbierto"
    assert desk.rows("Items", filter="U_MARCA eq 'Ñuble' and U_ESTADO eq 'A'", select="ItemCode") == [
        {"ItemCode": "A/1"}
    ]
    names = {row["Name"] for row in desk.rows("UserFieldsMD", filter="TableName eq 'OITM'")}
    assert names >= {"MARCA", "TEMPORADA"}


def test_a_v2_export_is_parsed_like_a_v1_export(v2_export: Path, facts: Facts) -> None:
    own = load_own_facts(v2_export)
    item = own.types["Item"].properties
    assert (item["U_FECHA"].type_name, item["U_HORA"].type_name) == ("Edm.DateTime", "Edm.Time")
    assert own.enums["BoYesNoEnum"].members == {"tNO": "N", "tYES": "Y"}
    assert read_edmx(v2_export).types["Series"].properties.keys() == {"Series", "Name"}
    nota = own.entity_sets["U_RSM"].type
    assert nota.actions == {"Close"}
    assert nota.navigation["BusinessPartner"].join == (("U_CARD", "CardCode"),)
    assert not nota.navigation["BusinessPartner"].many
    assert own.operations["RSMService_Do"].parameters == {"P": "Edm.String"}
    assert own.operations["RSMService_Get"].returns == "Edm.Double"
    assert len(own.operations) == len(facts.operations) + 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        ("{}", "no XML"),
        ("<html><body>Sign in</body></html>", "no entity sets in it"),
    ],
)
def test_an_invalid_metadata_export_is_refused_by_name(
    tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "x.xml"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(FactsError, match=message) as caught:
        load_own_facts(path)
    assert str(path) in str(caught.value)


def test_an_export_with_entity_bombs_is_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{"&" + chr(97 + n) + ";" * 1}{("&" + chr(97 + n) + ";") * 9}">'
        for n in range(8)
    )
    path = tmp_path / "bomb.xml"
    path.write_text(f"{bomb}]><x>&i;</x>", encoding="utf-8")
    with pytest.raises(FactsError):
        load_own_facts(path)
