"""Facts of the metadata: the packaged ones, a person's own export in both generations, the derivation."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path

import pytest

from erpsim.desk import Desk
from erpsim.facts import Facts, FactsError, load_own_facts
from erpsim.facts.compact_form import dump_facts, parse_facts
from erpsim.facts.derive import TAGGED_SETS, derive, main
from erpsim.facts.edmx import read_edmx
from erpsim.world import World

V1 = """<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"
  xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
 <edmx:DataServices m:DataServiceVersion="3.0">
  <Schema Namespace="SAPB1" xmlns="http://schemas.microsoft.com/ado/2009/11/edm">
   <EnumType Name="BoYesNoEnum"><Member Name="tNO" Value="N"/><Member Name="tYES" Value="Y"/></EnumType>
   <EnumType Name="MiEstado"><Member Name="meAbierto" Value="A"/></EnumType>
   <ComplexType Name="Table2TypeMapping">
    <Property Table="@LIB_ODEV" Type="SAPB1.LIB_ODEV"/><Property Table="OITM" Type="SAPB1.Item"/>
   </ComplexType>
   <ComplexType Name="LIB_DEV1">
    <Property Name="DocEntry" Type="Edm.Int32"/><Property Name="LineId" Type="Edm.Int32"/>
    <Property Name="U_ITEM" Type="Edm.String"/><Property Name="U_QTY" Type="Edm.Double"/>
   </ComplexType>
   <EntityType Name="Item">
    <Key><PropertyRef Name="ItemCode"/></Key>
    <Property Name="ItemCode" Type="Edm.String" Nullable="false" Alias="ItemCode"/>
    <Property Name="U_MARCA" Type="Edm.String" UserField="true" Alias="U_MARCA"/>
    <Property Name="U_ESTADO" Type="SAPB1.MiEstado" Alias="U_ESTADO"/>
   </EntityType>
   <EntityType Name="LIB_ODEV">
    <Key><PropertyRef Name="DocEntry"/></Key>
    <Property Name="DocNum" Type="Edm.Int32"/><Property Name="Period" Type="Edm.Int32"/>
    <Property Name="Instance" Type="Edm.Int32"/><Property Name="Series" Type="Edm.Int32"/>
    <Property Name="Handwrtten" Type="Edm.String"/><Property Name="Status" Type="Edm.String"/>
    <Property Name="Creator" Type="Edm.String"/><Property Name="Remark" Type="Edm.String"/>
    <Property Name="DocEntry" Type="Edm.Int32" Nullable="false" Writable="false"/>
    <Property Name="Canceled" Type="Edm.String"/><Property Name="Object" Type="Edm.String"/>
    <Property Name="Transfered" Type="Edm.String"/><Property Name="CreateDate" Type="Edm.DateTime"/>
    <Property Name="UpdateTime" Type="Edm.Time"/><Property Name="U_CARD" Type="Edm.String"/>
    <Property Name="LIB_DEV1Collection" Type="Collection(SAPB1.LIB_DEV1)"/>
    <NavigationProperty Name="Partner" Relationship="SAPB1.FK_LIB_BP"
     FromRole="LIB_ODEV" ToRole="BusinessPartners"/>
    <NavigationProperty Name="Lost" Relationship="SAPB1.FK_NONE" FromRole="LIB_ODEV" ToRole="X"/>
   </EntityType>
   <EntityType Name="NOTA">
    <Key><PropertyRef Name="Code"/></Key>
    <Property Name="Code" Type="Edm.String" Nullable="false"/><Property Name="Name" Type="Edm.String"/>
    <Property Name="U_BLOB" Type="Edm.Binary"/>
   </EntityType>
   <EntityType Name="LandedCost"><Key><PropertyRef Name="DocEntry"/></Key>
    <Property Name="DocEntry" Type="Edm.Int32" Nullable="false"/></EntityType>
   <Association Name="FK_LIB_BP">
    <End Multiplicity="*" Role="LIB_ODEV" Type="SAPB1.LIB_ODEV"/>
    <End Multiplicity="0..1" Role="BusinessPartners" Type="SAPB1.BusinessPartner"/>
    <ReferentialConstraint>
     <Principal Role="BusinessPartners"><PropertyRef Name="CardCode"/></Principal>
     <Dependent Role="LIB_ODEV"><PropertyRef Name="U_CARD"/></Dependent>
    </ReferentialConstraint>
   </Association>
   <EntityContainer Name="ServiceLayer">
    <EntitySet Name="Items" EntityType="SAPB1.Item"/>
    <EntitySet Name="LIB_ODEV" EntityType="SAPB1.LIB_ODEV"/>
    <EntitySet Name="U_NOTA" EntityType="SAPB1.NOTA"/>
    <EntitySet Name="LandedCosts" EntityType="SAPB1.LandedCost"/>
    <AssociationSet Association="SAPB1.FK_LIB_BP" Name="X">
     <End EntitySet="LIB_ODEV" Role="LIB_ODEV"/><End EntitySet="BusinessPartners" Role="BusinessPartners"/>
    </AssociationSet>
    <FunctionImport Name="Close" IsBindable="true" m:HttpMethod="POST">
     <Parameter Name="LIB_ODEVParams" Type="SAPB1.LIB_ODEV"/></FunctionImport>
    <FunctionImport Name="Cancel" IsBindable="true" m:HttpMethod="POST">
     <Parameter Name="LIB_ODEVParams" Type="SAPB1.LIB_ODEV"/></FunctionImport>
    <FunctionImport Name="LIBService_GetList" ReturnType="Collection(SAPB1.LIB_ODEV)" m:HttpMethod="POST">
     <Parameter Name="Params" Type="SAPB1.LIB_ODEV"/></FunctionImport>
   </EntityContainer>
  </Schema>
 </edmx:DataServices>
</edmx:Edmx>
"""

V2 = """<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
 <edmx:DataServices>
  <Schema Namespace="SAPB1" xmlns="http://docs.oasis-open.org/odata/ns/edm">
   <EnumType Name="BoYesNoEnum"><Member Name="tNO" Value="0"/><Member Name="tYES" Value="1"/></EnumType>
   <ComplexType Name="Series">
    <Property Name="SeriesProperty" Type="Edm.Int32"/><Property Name="Name" Type="Edm.String"/>
   </ComplexType>
   <EntityType Name="Item">
    <Key><PropertyRef Name="ItemCode"/></Key>
    <Property Name="ItemCode" Type="Edm.String" Nullable="false"/>
    <Property Name="InventoryItem" Type="SAPB1.BoYesNoEnum"/>
    <Property Name="U_FECHA" Type="Edm.DateTimeOffset"/><Property Name="U_HORA" Type="Edm.TimeOfDay"/>
   </EntityType>
   <EntityType Name="RSM">
    <Key><PropertyRef Name="Code"/></Key>
    <Property Name="Code" Type="Edm.String" Nullable="false"/>
    <Property Name="U_CARD" Type="Edm.String"/>
    <NavigationProperty Name="BusinessPartner" Type="SAPB1.BusinessPartner">
     <ReferentialConstraint Property="U_CARD" ReferencedProperty="CardCode"/></NavigationProperty>
    <NavigationProperty Name="Unbound" Type="Collection(SAPB1.Item)"/>
   </EntityType>
   <Action Name="Close" IsBound="true"><Parameter Name="RSMParams" Type="SAPB1.RSM"/></Action>
   <Action Name="RSMService_Do">
    <Parameter Name="P" Type="Edm.String"/><ReturnType Type="Edm.String"/></Action>
   <Function Name="RSMService_Get"><ReturnType Type="Edm.Decimal"/></Function>
   <EntityContainer Name="ServiceLayer">
    <EntitySet Name="Items" EntityType="SAPB1.Item"/>
    <EntitySet Name="U_RSM" EntityType="SAPB1.RSM">
     <NavigationPropertyBinding Path="BusinessPartner" Target="BusinessPartners"/></EntitySet>
    <ActionImport Name="RSMService_Do" Action="SAPB1.RSMService_Do"/>
   </EntityContainer>
  </Schema>
 </edmx:DataServices>
</edmx:Edmx>
"""


@pytest.fixture
def v1_export(tmp_path: Path) -> Path:
    path = tmp_path / "v1.xml"
    path.write_text(V1, encoding="utf-8")
    return path


@pytest.fixture
def v2_export(tmp_path: Path) -> Path:
    path = tmp_path / "v2.xml"
    path.write_text(V2, encoding="utf-8")
    return path


# --- the packaged facts


def test_the_packaged_facts_are_compact_and_in_their_one_form(facts: Facts) -> None:
    content = resources.files("erpsim").joinpath("data/facts.json").read_bytes()
    assert len(content) < 400_000
    assert dump_facts(facts) == content
    assert parse_facts(content) == facts


def test_another_format_is_refused() -> None:
    with pytest.raises(FactsError, match="format 99, expected 1"):
        parse_facts(b'{"format": 99}')


def test_every_set_that_a_front_end_needs_is_there(facts: Facts) -> None:
    needed = (
        "Items Warehouses IncomingPayments VendorPayments JournalEntries BusinessPartners Orders Quotations "
        "DeliveryNotes Invoices CreditNotes PurchaseOrders PurchaseDeliveryNotes PurchaseReturns "
        "PurchaseInvoices PurchaseCreditNotes GoodsReturnRequest Returns Drafts InventoryGenEntries "
        "InventoryGenExits StockTransfers ChartOfAccounts ItemGroups PriceLists PaymentTermsTypes "
        "SalesPersons Currencies VatGroups Projects ProfitCenters Activities UnitOfMeasurements "
        "BusinessPartnerGroups Banks Countries HouseBankAccounts EmployeesInfo Users SQLQueries "
        "UserTablesMD UserFieldsMD UserObjectsMD UserKeysMD"
    )
    assert set(needed.split()) <= set(facts.entity_sets)


def test_names_types_keys_and_defaults_are_the_real_ones(facts: Facts) -> None:
    order = facts.entity_sets["Orders"]
    assert order.type.key == ("DocEntry",)
    assert order.type.properties["DocTotal"].type_name == "Edm.Double"
    assert order.type.properties["DocDate"].type_name == "Edm.DateTime"
    assert order.type.properties["DocTime"].type_name == "Edm.Time"
    assert order.type.properties["DocumentLines"].collection
    assert order.type.properties["DocEntry"].writable is False
    assert order.type.properties["DocEntry"].nullable is False
    assert order.type.properties["SalesPersonCode"].column == "SlpCode"
    assert order.type.properties["ReqType"].default == "12"
    assert "DocStatus" not in order.type.properties
    assert order.type.actions == {"Close", "Cancel", "Reopen", "CreateCancellationDocument"}
    assert order.type.navigation["BusinessPartner"].join == (("CardCode", "CardCode"),)
    assert facts.entity_sets["JournalEntries"].type.key == ("JdtNum",)
    assert facts.entity_sets["UserFieldsMD"].type.key == ("TableName", "FieldID")
    assert facts.entity_sets["IncomingPayments"].type.actions >= {"Cancel", "CancelbyCurrentSystemDate"}
    assert facts.enums["BoYesNoEnum"].members == {"tNO": "N", "tYES": "Y"}
    assert facts.enums["BoObjectTypes"].names["21"] == "oPurchaseReturns"
    assert "OPDN" in facts.types["Document"].tables


def test_tags_and_versions_are_added_where_newer_builds_have_them(facts: Facts) -> None:
    tagged = {name for name, each in facts.entity_sets.items() if each.tagged}
    assert tagged == TAGGED_SETS | {"SQLQueries"}
    assert len(TAGGED_SETS) == 28
    with_version = {name for name, each in facts.entity_sets.items() if "DataVersion" in each.type.properties}
    assert with_version == TAGGED_SETS


def test_the_demos_user_fields_replace_the_exports_own(facts: Facts) -> None:
    fields = {
        (known.name, name)
        for known in facts.types.values()
        for name, prop in known.properties.items()
        if prop.user_field
    }
    assert ("EmployeeInfo", "U_WEB_USER") in fields
    assert ("EmployeeInfo", "U_WEB_PASS") in fields
    assert {name for _, name in fields} == {
        "U_WEB_USER",
        "U_WEB_PASS",
        "U_TEMPORADA",
        "U_GIRO",
        "U_CANAL",
        "U_NOTA_BODEGA",
    }


def test_every_type_that_a_property_names_is_known(facts: Facts) -> None:
    for known in facts.types.values():
        for prop in known.properties.values():
            assert prop.primitive or prop.type_name in facts.types or prop.type_name in facts.enums, prop


def test_functions_are_what_v2_reads_by_get_too(facts: Facts) -> None:
    functions = {name for name, each in facts.operations.items() if each.function}
    assert "CompanyService_GetCompanyInfo" in functions
    assert "SBOBobService_GetCurrencyRate" in functions
    assert "SeriesService_GetDocumentSeries" not in functions


# --- a person's own export


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


def test_a_v2_export_reads_like_a_v1_one(v2_export: Path, facts: Facts) -> None:
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
def test_what_is_no_export_is_refused_by_name(tmp_path: Path, content: str | None, message: str) -> None:
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


# --- the derivation


def test_the_derivation_command_writes_the_chosen_sets(
    tmp_path: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The packaged facts written as an export and derived again give themselves.
    export = tmp_path / "export.xml"
    export.write_text(as_v1(facts), encoding="utf-8")
    target = tmp_path / "data" / "facts.json"
    monkeypatch.setattr(sys, "argv", ["derive", str(export), str(target)])
    main()
    again = parse_facts(target.read_bytes())
    assert again.entity_sets.keys() == facts.entity_sets.keys()
    assert again.types == facts.types
    assert again.enums == facts.enums
    assert again.entity_sets == facts.entity_sets


def test_deriving_drops_user_fields_and_user_objects(v1_export: Path, facts: Facts) -> None:
    own = load_own_facts(v1_export)
    derived = derive(own)
    assert "U_MARCA" not in derived.types["Item"].properties
    assert "LIB_ODEV" not in derived.entity_sets
    assert "LIB_ODEV" not in derived.other_sets


def as_v1(facts: Facts) -> str:
    """Write facts as a v1 export, without what the derivation adds."""
    parts = [V1[: V1.index('   <EnumType Name="BoYesNoEnum">')]]
    for enum in facts.enums.values():
        members = "".join(f'<Member Name="{name}" Value="{value}"/>' for name, value in enum.members.items())
        parts.append(f'<EnumType Name="{enum.name}">{members}</EnumType>')
    tables = "".join(
        f'<Property Table="{table}" Type="SAPB1.{known.name}"/>'
        for known in facts.types.values()
        for table in known.tables
    )
    parts.append(f'<ComplexType Name="Table2TypeMapping">{tables}</ComplexType>')
    associations, association_sets = [], []
    sets_of = {each.type.name: name for name, each in facts.entity_sets.items()}
    for known in facts.types.values():
        if known.name == "SQLQuery":
            continue
        kind = "EntityType" if known.key else "ComplexType"
        key = "".join(f'<PropertyRef Name="{name}"/>' for name in known.key)
        lines = [f'<{kind} Name="{known.name}">', f"<Key>{key}</Key>" if key else ""]
        for prop in known.properties.values():
            if prop.user_field or prop.name == "DataVersion":
                continue
            type_name = prop.type_name if prop.primitive else f"SAPB1.{prop.type_name}"
            type_text = f"Collection({type_name})" if prop.collection else type_name
            extra = "" if prop.column is None else f' Alias="{prop.column}"'
            extra += "" if prop.default is None else f' DefaultValue="{prop.default}"'
            extra += "" if prop.nullable else ' Nullable="false"'
            extra += "" if prop.writable else ' Writable="false"'
            lines.append(f'<Property Name="{prop.name}" Type="{type_text}"{extra}/>')
        for number, nav in enumerate(known.navigation.values()):
            name = f"FK_{known.name}_{number}"
            lines.append(
                f'<NavigationProperty Name="{nav.name}" Relationship="SAPB1.{name}"'
                ' FromRole="From" ToRole="To"/>'
            )
            ours = "".join(f'<PropertyRef Name="{own}"/>' for own, _ in nav.join)
            theirs = "".join(f'<PropertyRef Name="{their}"/>' for _, their in nav.join)
            associations.append(
                f'<Association Name="{name}"><End Multiplicity="{"*" if nav.many else "0..1"}" Role="To"/>'
                f'<ReferentialConstraint><Principal Role="To">{theirs}</Principal>'
                f'<Dependent Role="From">{ours}</Dependent></ReferentialConstraint></Association>'
            )
            association_sets.append(
                f'<AssociationSet Association="SAPB1.{name}">'
                f'<End EntitySet="{sets_of[known.name]}" Role="From"/>'
                f'<End EntitySet="{nav.target_set}" Role="To"/></AssociationSet>'
            )
        parts += [*lines, f"</{kind}>"]
    parts += associations
    parts.append('<EntityContainer Name="ServiceLayer">')
    for name, each in facts.entity_sets.items():
        if name != "SQLQueries":
            parts.append(f'<EntitySet Name="{name}" EntityType="SAPB1.{each.type.name}"/>')
    parts += association_sets
    for known in facts.types.values():
        for action in sorted(known.actions):
            parts.append(
                f'<FunctionImport Name="{action}" IsBindable="true">'
                f'<Parameter Name="P" Type="SAPB1.{known.name}"/></FunctionImport>'
            )
    parts.append("</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>")
    return "\n".join(parts)
