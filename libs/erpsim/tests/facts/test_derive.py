"""Deriving the packaged facts from an export."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from erpsim.facts import Facts, load_own_facts
from erpsim.facts.compact_form import parse_facts
from erpsim.facts.derive import derive, main


def test_the_derivation_command_writes_the_chosen_sets(
    tmp_path: Path, facts: Facts, v1_text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The packaged facts written as an export and derived again give themselves.
    export = tmp_path / "export.xml"
    export.write_text(as_v1(facts, v1_text), encoding="utf-8")
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


def as_v1(facts: Facts, v1: str) -> str:
    """Write facts as a v1 export, without what the derivation adds."""
    parts = [v1[: v1.index('   <EnumType Name="BoYesNoEnum">')]]
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
