"""Exports of a company of one's own, in both generations."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    <Property Name="ItemCode" Type="Edm.String" Nullable="false" MaxLength="20"/>
    <Property Name="ItemName" Type="Edm.String" MaxLength="max"/>
    <Property Name="U_CORTO" Type="Edm.String" MaxLength="2"/>
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


@pytest.fixture
def v1_text() -> str:
    """The export of a v1, to take its head from."""
    return V1
