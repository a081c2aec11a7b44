"""Writes the `$metadata` document of a company from its facts, in both generations.

It contains the simulated entity sets, types, enums and bound actions, and the service actions whose types are
simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from xml.sax.saxutils import quoteattr

from erpsim.facts.model import (
    EntitySetFacts,
    Facts,
    NavigationFacts,
    OperationFacts,
    PropertyFacts,
    TypeFacts,
)

_NAMESPACE: Final = "SAPB1"
_V2_SPELLINGS: Final[Mapping[str, str]] = {"Edm.DateTime": "Edm.DateTimeOffset", "Edm.Time": "Edm.TimeOfDay"}
_V1_DATA_SERVICES: Final = (
    '<edmx:DataServices m:DataServiceVersion="3.0" m:MaxDataServiceVersion="3.0"'
    ' xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">'
)
_DOCUMENT_START: Final = '<?xml version="1.0" encoding="UTF-8"?>'


def write_v1(facts: Facts) -> bytes:
    """Write the OData 3 document: enum values are database letters, every operation is a function import."""
    lines = [
        _DOCUMENT_START,
        '<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx">',
        _V1_DATA_SERVICES,
        f'<Schema Namespace="{_NAMESPACE}" xmlns="http://schemas.microsoft.com/ado/2009/11/edm">',
        *_enums(facts, numbered=False),
    ]
    for each in facts.types.values():
        links = [
            _element("NavigationProperty", FromRole=_source_role(each), Name=nav.name,
                     Relationship=f"{_NAMESPACE}.{_association(each, nav)}", ToRole=nav.target_set)
            for nav in _navigation(each, facts)
        ]  # fmt: skip
        lines += _type(each, links, renamed=False, spellings={})
        for nav in _navigation(each, facts):
            lines += _v1_association(each, nav, facts)
    lines.append('<EntityContainer Name="ServiceLayer" m:IsDefaultEntityContainer="true">')
    for entity_set in facts.entity_sets.values():
        lines.append(_element("EntitySet", EntityType=qualified(entity_set.type.name), Name=entity_set.name))
        for nav in _navigation(entity_set.type, facts):
            lines += _v1_association_set(entity_set, nav)
    for owner in _owners(facts):
        for action in sorted(owner.actions):
            lines += [
                f'<FunctionImport IsBindable="true" Name={quoteattr(action)} m:HttpMethod="POST">',
                _element("Parameter", Name=f"{owner.name}Params", Type=qualified(owner.name)),
                "</FunctionImport>",
            ]
    for operation in _operations(facts):
        returns = f" ReturnType={quoteattr(qualified(operation.returns))}" if operation.returns else ""
        lines.append(f'<FunctionImport Name={quoteattr(operation.name)}{returns} m:HttpMethod="POST">')
        lines += _parameters(operation, {})
        lines.append("</FunctionImport>")
    lines += ["</EntityContainer>", "</Schema>", "</edmx:DataServices>", "</edmx:Edmx>", ""]
    return "\n".join(lines).encode()


def write_v2(facts: Facts) -> bytes:
    """Write the OData 4 document: enum values are numbers, properties named like their type are renamed."""
    lines = [
        _DOCUMENT_START,
        '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">',
        "<edmx:DataServices>",
        f'<Schema Namespace="{_NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">',
        *_enums(facts, numbered=True),
    ]
    for each in facts.types.values():
        links = [line for nav in _navigation(each, facts) for line in _v2_navigation(nav, facts)]
        lines += _type(each, links, renamed=True, spellings=_V2_SPELLINGS)
    for owner in _owners(facts):
        for action in sorted(owner.actions):
            lines += [
                f'<Action IsBound="true" Name={quoteattr(action)}>',
                _element("Parameter", Name=f"{owner.name}Params", Type=qualified(owner.name)),
                "</Action>",
            ]
    for operation in _operations(facts):
        kind = "Function" if operation.function else "Action"
        lines.append(f"<{kind} Name={quoteattr(operation.name)}>")
        lines += _parameters(operation, _V2_SPELLINGS)
        if operation.returns:
            lines.append(_element("ReturnType", Type=qualified(operation.returns, _V2_SPELLINGS)))
        lines.append(f"</{kind}>")
    lines.append('<EntityContainer Name="ServiceLayer">')
    for entity_set in facts.entity_sets.values():
        lines += _v2_entity_set(entity_set, facts)
    for operation in _operations(facts):
        kind = "Function" if operation.function else "Action"
        name = {kind: f"{_NAMESPACE}.{operation.name}", "Name": operation.name}
        lines.append(_element(f"{kind}Import", **name))
    lines += ["</EntityContainer>", "</Schema>", "</edmx:DataServices>", "</edmx:Edmx>", ""]
    return "\n".join(lines).encode()


def _element(tag: str, **attributes: str) -> str:
    return f"<{tag}{''.join(f' {name}={quoteattr(value)}' for name, value in attributes.items())}/>"


def qualified(type_name: str, spellings: Mapping[str, str] | None = None) -> str:
    """Return a type's name with its namespace, inside `Collection()` too: `Series` is `SAPB1.Series`."""
    if type_name.startswith("Collection("):
        return f"Collection({qualified(type_name[11:-1], spellings)})"
    if type_name.startswith("Edm."):
        return (spellings or {}).get(type_name, type_name)
    return f"{_NAMESPACE}.{type_name}"


def _enums(facts: Facts, *, numbered: bool) -> Iterator[str]:
    for enum in facts.enums.values():
        yield f"<EnumType Name={quoteattr(enum.name)}>"
        for number, (member, value) in enumerate(enum.members.items()):
            yield _element("Member", Name=member, Value=str(number) if numbered else value)
        yield "</EnumType>"


def _type(each: TypeFacts, links: list[str], *, renamed: bool, spellings: Mapping[str, str]) -> Iterator[str]:
    tag = "EntityType" if each.key else "ComplexType"
    yield f"<{tag} Name={quoteattr(each.name)}>"
    if each.key:
        yield "<Key>"
        for name in each.key:
            yield _element("PropertyRef", Name=_property_name(name, each, renamed=renamed))
        yield "</Key>"
    for prop in each.properties.values():
        yield _property(prop, each, renamed=renamed, spellings=spellings)
    yield from links
    yield f"</{tag}>"


def _property(prop: PropertyFacts, owner: TypeFacts, *, renamed: bool, spellings: Mapping[str, str]) -> str:
    type_name = f"Collection({prop.type_name})" if prop.collection else prop.type_name
    attributes = {
        "Name": _property_name(prop.name, owner, renamed=renamed),
        "Type": qualified(type_name, spellings),
    }
    if not prop.nullable:
        attributes["Nullable"] = "false"
    if not renamed:
        # Only v1 contains columns, defaults and read-only flags.
        if prop.column is not None:
            attributes["Alias"] = prop.column
        if prop.default is not None:
            attributes["DefaultValue"] = prop.default
        attributes["Writable"] = "true" if prop.writable else "false"
    return _element("Property", **attributes)


def _property_name(name: str, owner: TypeFacts, *, renamed: bool) -> str:
    return f"{name}Property" if renamed and name == owner.name else name


def _navigation(each: TypeFacts, facts: Facts) -> list[NavigationFacts]:
    return [nav for nav in each.navigation.values() if nav.target_set in facts.entity_sets and nav.join]


def _owners(facts: Facts) -> list[TypeFacts]:
    used = {entity_set.type.name for entity_set in facts.entity_sets.values()}
    return [each for each in facts.types.values() if each.name in used]


def _operations(facts: Facts) -> list[OperationFacts]:
    declared = {*facts.types, *facts.enums}

    def is_simulated(type_name: str) -> bool:
        plain = type_name.removeprefix("Collection(").removesuffix(")")
        return plain.startswith("Edm.") or plain in declared

    return [
        operation
        for operation in facts.operations.values()
        if all(map(is_simulated, operation.parameters.values()))
        and (operation.returns is None or is_simulated(operation.returns))
    ]


def _parameters(operation: OperationFacts, spellings: Mapping[str, str]) -> list[str]:
    return [
        _element("Parameter", Name=name, Type=qualified(type_name, spellings))
        for name, type_name in operation.parameters.items()
    ]


def _source_role(owner: TypeFacts) -> str:
    return f"Of{owner.name}"


def _association(owner: TypeFacts, nav: NavigationFacts) -> str:
    return f"FK_{owner.name}_{nav.name}"


def _v1_association(owner: TypeFacts, nav: NavigationFacts, facts: Facts) -> list[str]:
    source = _source_role(owner)
    own = [_element("PropertyRef", Name=name) for name, _ in nav.join]
    other = [_element("PropertyRef", Name=name) for _, name in nav.join]
    source_kind, target_kind = ("Principal", "Dependent") if nav.many else ("Dependent", "Principal")
    sides = {
        source_kind: [f"<{source_kind} Role={quoteattr(source)}>", *own, f"</{source_kind}>"],
        target_kind: [f"<{target_kind} Role={quoteattr(nav.target_set)}>", *other, f"</{target_kind}>"],
    }
    target_type = qualified(facts.entity_sets[nav.target_set].type.name)
    many, one = ("0..1", "*") if nav.many else ("*", "0..1")
    return [
        f"<Association Name={quoteattr(_association(owner, nav))}>",
        _element("End", Multiplicity=many, Role=source, Type=qualified(owner.name)),
        _element("End", Multiplicity=one, Role=nav.target_set, Type=target_type),
        "<ReferentialConstraint>",
        *sides["Principal"],
        *sides["Dependent"],
        "</ReferentialConstraint>",
        "</Association>",
    ]


def _v1_association_set(entity_set: EntitySetFacts, nav: NavigationFacts) -> list[str]:
    name = _association(entity_set.type, nav)
    association = quoteattr(f"{_NAMESPACE}.{name}")
    return [
        f"<AssociationSet Association={association} Name={quoteattr(f'{entity_set.name}_{name}')}>",
        _element("End", EntitySet=entity_set.name, Role=_source_role(entity_set.type)),
        _element("End", EntitySet=nav.target_set, Role=nav.target_set),
        "</AssociationSet>",
    ]


def _v2_navigation(nav: NavigationFacts, facts: Facts) -> list[str]:
    target = facts.entity_sets[nav.target_set].type
    type_name = qualified(f"Collection({target.name})" if nav.many else target.name)
    constraints = [
        _element("ReferentialConstraint", Property=own, ReferencedProperty=other) for own, other in nav.join
    ]
    opening = f"<NavigationProperty Name={quoteattr(nav.name)} Type={quoteattr(type_name)}>"
    return [opening, *constraints, "</NavigationProperty>"]


def _v2_entity_set(entity_set: EntitySetFacts, facts: Facts) -> list[str]:
    type_name = quoteattr(qualified(entity_set.type.name))
    lines = [f"<EntitySet EntityType={type_name} Name={quoteattr(entity_set.name)}>"]
    if entity_set.tagged:
        # SAP manual 1.22, section 5.4.
        lines += [
            '<Annotation Term="Org.OData.Core.V1.OptimisticConcurrency">',
            "<Collection><PropertyPath>DataVersion</PropertyPath></Collection>",
            "</Annotation>",
        ]
    lines += [
        _element("NavigationPropertyBinding", Path=nav.name, Target=nav.target_set)
        for nav in _navigation(entity_set.type, facts)
    ]
    return [*lines, "</EntitySet>"]
