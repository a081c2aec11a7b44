"""The Service Layer's metadata as values."""

import pytest

from erpclient import ErpReplyUnreadable
from erpclient.metadata import EntityFacts, read_metadata

V4 = b"""<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="SAPB1">
<EntityType Name="Parent"><Key><PropertyRef Name="Code"/></Key>
<Property Name="Code" Type="Edm.String"/></EntityType>
<EntityType Name="Item" BaseType="SAPB1.Parent"><Property Name="Price" Type="Edm.Double"/>
<NavigationProperty Name="Group" Type="SAPB1.Group"/></EntityType>
<EntityType Name="Loop" BaseType="SAPB1.Loop"><Property Name="X" Type="Edm.Int32"/></EntityType>
<EntityContainer Name="ServiceLayer"><EntitySet Name="Items" EntityType="SAPB1.Item"/>
<EntitySet Name="Loops" EntityType="SAPB1.Loop"/><EntitySet Name="Others" EntityType="SAPB1.Other"/>
</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"""


def test_an_entity_set_has_the_key_and_properties_of_its_type_hierarchy() -> None:
    sets = read_metadata(V4).sets
    assert sets["Items"] == EntityFacts(
        "Item", ("Code",), {"Code": "Edm.String", "Price": "Edm.Double", "Group": ""}
    )
    assert sets["Loops"] == EntityFacts("Loop", (), {"X": "Edm.Int32"})
    assert sets["Others"] == EntityFacts("Other", (), {})


def test_a_type_without_a_set_has_its_properties() -> None:
    metadata = read_metadata(V4)
    assert metadata.properties_of("Parent") == {"Code": "Edm.String"}
    assert metadata.properties_of("Nobody") == {}


def test_an_enumeration_has_the_names_of_its_values() -> None:
    members = b'<Member Name="bost_Open" Value="O"/><Member Name="bost_Close" Value="C"/>'
    enum = b'<EnumType Name="BoStatus">%b</EnumType>' % members
    metadata = read_metadata(V4.replace(b'<EntityType Name="Parent">', enum + b'<EntityType Name="Parent">'))
    assert metadata.enums == {"BoStatus": ("bost_Open", "bost_Close")}


def test_the_names_within_a_type_include_nested_types() -> None:
    inside = b"""<ComplexType Name="Line"><Property Name="Pin" Type="Edm.String"/>
<Property Name="Deeper" Type="Collection(SAPB1.Line)"/></ComplexType>
<EntityType Name="Parent"><Property Name="Lines" Type="Collection(SAPB1.Line)"/>"""
    metadata = read_metadata(V4.replace(b'<EntityType Name="Parent">', inside))
    assert metadata.names_within("Item") == {"Code", "Price", "Group", "Lines", "Pin", "Deeper"}
    assert metadata.property_names == metadata.names_within("Item") | {"X"}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"", "no XML"),
        (b"<edmx:Edmx", "no XML"),
        (b"{}", "no XML"),
        (b"<html/>", "no entity sets"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "declarations"),
    ],
)
def test_an_invalid_metadata_document_is_rejected(document: bytes, reason: str) -> None:
    with pytest.raises(ErpReplyUnreadable, match=reason):
        read_metadata(document)
